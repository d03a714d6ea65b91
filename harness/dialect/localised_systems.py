"""LP by class of feature of the systems of an audit, with the intervals of its common resamples."""

from __future__ import annotations

from collections.abc import Mapping

from sociolect.harness.dialect.audits import CONTINUATION, Answers, Key
from sociolect.harness.dialect.lengths import Chars
from sociolect.harness.dialect.localisation import Searched, localise
from sociolect.harness.dialect.localised import ALL, GROUPS, Bootstrap, Localisation
from sociolect.harness.judging.resampling import Interval
from sociolect.tasks.dialect.continuation_measures import DIFFERING


def localisations(
    name: str,
    answers: Answers,
    searched: Searched,
    intervals: Mapping[Key, Interval | None],
    method: Bootstrap,
    chars: Chars,
) -> tuple[Localisation, ...]:
    """LP by class in nats and, where tokens were counted, in nats a token.

    Args:
        name: Of the system.
        answers: What it answered.
        searched: The AAE texts, and the groups of the pairs.
        intervals: Of `lp_sum_differing`, `lp_sum_differing[aspectual]` and so on.
        method: How these were computed.
        chars: Of the continuations.
    """
    if answers.scores is None:
        return ()
    return tuple(
        localise(
            answers.scores,
            searched,
            name=name,
            per_token=form == "token",
            method=method,
            chars=chars,
            drawn={group: intervals.get(_key(form, group)) for group in GROUPS},
        )
        for form in ("sum", *(("token",) if answers.scores.tokens is not None else ()))
    )


def _key(form: str, group: str) -> Key:
    measure = f"lp_{form}{DIFFERING}"
    return Key(CONTINUATION, measure if group == ALL else f"{measure}[{group}]")
