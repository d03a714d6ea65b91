"""Names by which the runs of one comparison can be told apart.

A label is as short as it can be: it grows only where another run would be called the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from sociolect.harness.results import Run
from sociolect.harness.run_settings import SHAS, short_names

_HASH = 8


def model_labels(runs: Sequence[Run]) -> list[str]:
    """One label a run, equal for two runs only if the same model answered in the same way.

    A local path is shown by its last folders. Where two models have one name, the arguments in
    which they differ follow in brackets.
    """
    names = [str(run.settings["model"]["name"]) for run in runs]
    shown = short_names(names)
    details = [_model_details(run) for run in runs]
    labels = []
    for name, own in zip(names, details, strict=True):
        same = [other for n, other in zip(names, details, strict=True) if n == name]
        extra = [f"{key} {own[key]}" for key in sorted(own) if _differs(key, same)]
        labels.append(_bracketed(shown[name], extra))
    return labels


def condition_labels(runs: Sequence[Run], models: Sequence[str]) -> list[str]:
    """One label a run, distinct among the runs of one model.

    Args:
        runs: Of one comparison.
        models: Their labels, from `model_labels`.

    Returns:
        The condition, with rule set and error seed unless they are the usual ones. Where that is
        not enough: the hash of the data, the time of the run, or its file.
    """
    extras = [list(run.traits) for run in runs]
    further: tuple[Callable[[Run], str], ...] = (
        lambda run: f"data {run.data['data_sha256'][:_HASH]}",
        lambda run: run.files.time,
        lambda run: str(run.files.samples),
    )
    for more in further:
        keys = _keys(runs, models, extras)
        added: dict[tuple[str, str], set[str]] = defaultdict(set)
        for key, run in zip(keys, runs, strict=True):
            added[key].add(more(run))
        for key, run, extra in zip(keys, runs, extras, strict=True):
            if len(added[key]) > 1:
                extra.append(more(run))
        if max(Counter(_keys(runs, models, extras)).values()) == 1:
            break
    return [label for _, label in _keys(runs, models, extras)]


def _keys(
    runs: Sequence[Run], models: Sequence[str], extras: Sequence[Sequence[str]]
) -> list[tuple[str, str]]:
    labels = [
        _bracketed(r.condition.config_name, extra) for r, extra in zip(runs, extras, strict=True)
    ]
    return list(zip(models, labels, strict=True))


def _bracketed(name: str, extra: Sequence[str]) -> str:
    return f"{name} ({', '.join(extra)})" if extra else name


def _model_details(run: Run) -> dict[str, str]:
    """Everything but the name that makes a model answer otherwise, as text."""
    found = {**run.settings["model"], **run.settings["model_args"], **run.settings["model_sha"]}
    found |= {key: run.settings[key] for key in ("backend", "dtype")}
    name = found.pop("name")
    return {key: str(value) for key, value in found.items() if value not in (None, "", name)}


def _differs(key: str, details: Sequence[dict[str, str]]) -> bool:
    values = {one.get(key) for one in details}
    # A commit hash that one machine could not look up is no difference.
    return len(values - {None} if key in SHAS else values) > 1
