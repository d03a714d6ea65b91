"""Runs of two models, for the analyses of the paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sociolect.harness.sections import Section, read_section
from sociolect.harness.selection import select_models

Read = Callable[[Path], list[Section]]


def read_models(path: Path) -> list[Section]:
    """The sections of every model under a folder."""
    return [read_section(selection) for selection in select_models([path])]


def settings(name: str) -> dict[str, Any]:
    """Options of a fake run that make it one of the model."""
    return {
        "folder": name.replace("/", "__"),
        "config": {"model_args": {"pretrained": name, "dtype": "float32"}},
    }


def wrong(pro: int, anti: int) -> Callable[..., int]:
    """The first `pro` pro members and the first `anti` anti members are answered wrongly."""
    return lambda pair, member, order, sample: int(pair < (pro if member == "pro" else anti))


@pytest.fixture
def two_models(write_run: Callable[..., Path]) -> Path:
    """Two models on WinoBias with 40 pairs under three conditions; one of them also on MMLU."""
    plan = {
        "org/a": {"clean": (0, 4), "l2-5": (0, 4), "l2-30": (4, 20), "l2prep-30": (2, 16)},
        "org/b": {"clean": (2, 8), "l2-30": (2, 12), "l2prep-30": (6, 20)},
    }
    for name, conditions in plan.items():
        for condition, counts in conditions.items():
            path = write_run(condition=condition, pairs=40, answer=wrong(*counts), **settings(name))
    for condition, count in (("clean", 0), ("l2-30", 20)):
        answer = wrong(0, count)
        write_run(
            condition=condition, benchmark="mmlu", pairs=40, answer=answer, **settings("org/a")
        )
    return path.parent.parent
