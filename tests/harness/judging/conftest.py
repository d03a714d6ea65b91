"""Verdicts written as letters, in memory and as outputs of lm-eval."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sociolect.generators.conditions import Condition
from sociolect.harness.judging.verdicts import Items, Judgements, Noisy, coded

LETTERS = {"A": 0, "B": 1, "N": 2, "?": -1}
TEXTS = {"A": "A", "B": "Verdict: B", "N": "NONE", "?": "I would rather not say."}


def codes(letters: str) -> np.ndarray:
    """`ABN?` as verdicts."""
    return np.array([LETTERS[letter] for letter in letters], dtype=np.int64)


def make_judgements(
    clean: str,
    noisy: Mapping[str, str],
    *,
    questions: Sequence[str] = (),
    pairs: Sequence[str] = (),
    target: str = "",
    changes: Mapping[str, Sequence[float]] | None = None,
) -> Judgements:
    """One letter an item; a question is `category/name`, all one by default."""
    n = len(clean)
    names = list(questions) or ["age/age-1"] * n
    items = Items(
        tuple(f"fable/{name}/{i:03d}" for i, name in enumerate(names)),
        coded([f"fable/{name}" for name in names]),
        coded([name.split("/")[0] for name in names]),
        coded(list(pairs) or [str(i) for i in range(n)]),
        codes(target or "?" * n),
    )
    runs = tuple(
        Noisy(
            Condition.parse(name),
            name,
            codes(letters),
            np.outer((changes or {})[name], [1.0, 0.5, 1.0]) if name in (changes or {}) else None,
        )
        for name, letters in noisy.items()
    )
    return Judgements("judge", "fable", "reason", items, codes(clean), runs)


@pytest.fixture(scope="session")
def judgements() -> Callable[..., Judgements]:
    return make_judgements


@pytest.fixture
def write_verdicts(write_run: Callable[..., Path]) -> Callable[..., Path]:
    """Writes a run of a judge, one letter an item, and returns its samples file."""

    def write(
        condition: str,
        verdicts: str,
        *,
        benchmark: str = "fable",
        change: float = 0.25,
        questions: int = 2,
        **options: Any,
    ) -> Path:
        options = {"benchmark": benchmark, "form": "reason", "repeats": 1} | options
        path = write_run(condition=condition, pairs=len(verdicts), **options)
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for i, (line, letter) in enumerate(zip(lines, verdicts, strict=True)):
            category = ("age", "religion")[i % questions % 2]
            name = f"{benchmark}/{category}/{category}-{i % questions}/{i // questions:02d}"
            noise = {"token_change": change, "char_distance": change / 2, "length_ratio": 1.0}
            line["doc"] |= {
                "id": name,
                "pair_id": name,
                "axis": "",
                "options": [f"Emma {i // questions}", "Walter", "neither"],
                "gold": i % 3,
                "target_option": i % 2,
                **(noise if condition != "clean" else {}),
            }
            line["filtered_resps"] = line["resps"] = [[TEXTS[letter]]]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return path

    return write
