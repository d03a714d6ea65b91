"""LP by class of feature of the systems of an audit, with the intervals of its common resamples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sociolect.harness.dialect.audits import CONTINUATION, Answers, Key
from sociolect.harness.dialect.localisation import Searched, localise
from sociolect.harness.dialect.localised import ALL, Bootstrap, GroupLp, Localisation
from sociolect.harness.judging.resampling import Interval


def localisations(
    name: str,
    answers: Answers,
    texts: Mapping[str, str],
    intervals: Mapping[Key, Interval | None],
    method: Bootstrap,
) -> tuple[Localisation, ...]:
    """LP by class in nats and, where tokens were counted, in nats a token.

    Args:
        name: Of the system.
        answers: What it answered.
        texts: The AAE texts by id of the pair.
        intervals: Of `lp_sum`, `lp_sum[aspectual]` and so on.
        method: How these were computed.
    """
    if answers.scores is None:
        return ()
    found = []
    for form in ("sum", *(("token",) if answers.scores.tokens is not None else ())):
        # Its own intervals would be of other draws than all else here: two resamples, thrown away.
        one = localise(
            answers.scores,
            Searched(texts),
            name=name,
            per_token=form == "token",
            method=Bootstrap(method.seed, 2, method.confidence),
        )
        groups = tuple(_with_interval(group, form, intervals) for group in one.groups)
        found.append(replace(one, groups=groups, method=method))
    return tuple(found)


def _with_interval(group: GroupLp, form: str, intervals: Mapping[Key, Interval | None]) -> GroupLp:
    measure = f"lp_{form}" if group.name == ALL else f"lp_{form}[{group.name}]"
    low, high = intervals.get(Key(CONTINUATION, measure)) or (None, None)
    if low is None or high is None or group.value is None:
        return replace(group, interval=None)
    return replace(group, interval=(low, high))
