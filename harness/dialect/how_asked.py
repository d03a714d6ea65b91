"""With which of its tasks a system was given a chat template or a system prompt.

A choice can be asked with one where a continuation cannot, so that the runs of one system mix both,
and its numbers are not all of a model that is used as it was tuned.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from sociolect.harness.dialect.runs import DialectRun
from sociolect.harness.dialect.systems import System

_HASH = 8


def how_asked(system: System) -> str:
    """A sentence on how a system was asked; empty where nothing was added to any prompt.

    Args:
        system: With its runs.
    """
    runs = list(system.runs.values())
    tasks: dict[str, list[str]] = {}
    for run in sorted(runs, key=lambda one: not any(_added(one))):
        tasks.setdefault(_way(run, runs), []).append(run.task)
    if not any(any(_added(run)) for run in runs):
        return ""
    said = "; ".join(f"{way}: {', '.join(names)}" for way, names in tasks.items())
    return f"{system.label}: asked {said}."


def _added(run: DialectRun) -> tuple[str, str]:
    """Chat template and system prompt, empty for none."""
    names = ("chat_template", "system_instruction")
    template, instruction = (str(run.settings[name] or "") for name in names)
    return template, instruction


def _way(run: DialectRun, runs: Sequence[DialectRun]) -> str:
    """In words, with hashes where several templates or prompts are to be told apart."""
    parts = [
        f"a {what}{_hash(own) if len(others) > 1 else ''}"
        for what, own, others in zip(
            ("chat template", "system prompt"),
            _added(run),
            [set(each) - {""} for each in zip(*map(_added, runs), strict=True)],
            strict=True,
        )
        if own
    ]
    return f"with {' and '.join(parts)}" if parts else "with neither template nor system prompt"


def _hash(text: str) -> str:
    return f" ({hashlib.sha256(text.encode()).hexdigest()[:_HASH]})"
