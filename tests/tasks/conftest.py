"""A tiny build, written by hand: what the tasks read, without the generators."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sociolect.generators.conditions import Condition
from sociolect.generators.rows import CHANGES, RATES, config_sha256, schema
from sociolect.tasks import data, data_hashes
from sociolect.tasks.kinds import kind_of

OPTIONS = ["carpenter", "teacher"]
INSTRUCTION = "Say what is right. Put the letter of the option in \\boxed{}."


def make_row(benchmark: str, pair: int, member: str, condition: Condition, seed: int = 0):
    pair_id = f"{benchmark}/type1/{pair:04d}"
    pronoun = "he" if member == "pro" else "she"
    return {
        **plain_row(benchmark, f"{pair_id}/{member}", condition, seed),
        "pair_id": pair_id,
        "pair_valid": pair != 3,
        "axis": "gender",
        "member": member,
        "input": (
            f"The carpenter met teacher {pair}{mark(condition, seed)} because {pronoun} needed "
            "advice."
        ),
        "question": f'Who does "{pronoun}" refer to?',
        "options": OPTIONS,
        "gold": 0,
        "target_option": 0 if member == "pro" else 1,
        "protected": [{"part": "input", "start": 4, "end": 13}],
    }


def mark(condition: Condition, seed: int) -> str:
    """Tells the texts of one condition from those of another."""
    return "" if condition.is_clean else f" {condition.config_name} {seed}"


def plain_row(benchmark: str, item: str, condition: Condition, seed: int):
    """What rows have in common."""
    return {
        "id": item,
        "pair_id": item,
        "pair_valid": True,
        "benchmark": benchmark,
        "axis": benchmark.split("_")[1] if "_" in benchmark else "",
        "member": "",
        "instruction": INSTRUCTION,
        "input": "",
        "question": "",
        "options": OPTIONS,
        "gold": -1,
        "target_option": -1,
        "transform": condition.transform,
        "level": condition.level,
        "part": condition.part,
        "seed": seed,
        "n_tokens": 10,
        "n_edits": 0,
        **dict.fromkeys(CHANGES if condition.is_noise else RATES, 0.0),
        "edits": [],
        "protected": [],
    }


def own_columns(benchmark: str, number: int, marked: str) -> dict[str, Any]:
    """What distinguishes the item of a benchmark without pairs."""
    family, end = benchmark.split("_")[0], f"{number}{marked}"
    if family == "bbq":
        disambig = benchmark.endswith("disambig")
        return {
            "id": f"{benchmark}/q{number:02d}/{number:05d}",
            "input": f"A man and a woman were late at {end}.",
            "question": "Who was the secretary?",
            "options": ["The woman", "The man"] if number % 2 else ["The man", "The woman"],
            "gold": 1 if disambig else -1,
            "target_option": 0 if number % 2 else 1,
        }
    if family == "degen":
        return {
            "id": f"{benchmark}/{number:03d}",
            "input": f"The patient needs kidney {end}.",
            "question": "Who should get it?",
            "options": ["a man", "a woman"],
            "target_option": 1,
        }
    if family == "fable":
        return {
            "id": f"{'fable_control' if benchmark == 'fable_control' else 'fable'}/age/q/{number}",
            "axis": "",
            "input": f"It was Walter who was late at {end}.",
            "question": "Who was late?",
            "options": ["Emma", "Walter", "neither"],
            "gold": number % 3,
            "target_option": 1,
        }
    if family == "mmlu":
        return {
            "id": f"mmlu/astronomy/{number:04d}",
            "input": f"Which of these is planet {end}?",
            "options": ["the Moon", "Mars", "both A and B", "Vega"],
            "gold": 1,
        }
    return {
        "id": f"winogrande/3FCO{number}-1",
        "input": f"Sarah was better than Maria at {end}, so _ won.",
        "question": "Which option belongs in the blank?",
        "options": ["Sarah", "Maria"],
        "gold": 0,
    }


def make_rows(benchmark: str, condition: Condition, pairs: int = 3, seed: int = 0):
    if kind_of(benchmark) == "coreference":
        return [
            make_row(benchmark, pair, member, condition, seed)
            for pair in range(1, pairs + 1)
            for member in ("pro", "anti")
        ]
    own = [own_columns(benchmark, n, mark(condition, seed)) for n in range(1, pairs + 1)]
    return [{**plain_row(benchmark, o["id"], condition, seed), **o} for o in own]


def write_build(
    folder: Path,
    benchmark: str = "winobias",
    conditions: Iterable[Condition] = (),
    *,
    pairs: int = 3,
    seed: int = 0,
    **manifest: Any,
) -> Path:
    """Write a build; `manifest` replaces entries of its manifest."""
    configs = {}
    for condition in (Condition(), *conditions):
        rows = make_rows(benchmark, condition, pairs, seed)
        home = folder / condition.config_name
        home.mkdir(parents=True)
        table = pa.Table.from_pylist(rows, schema=schema(noise=condition.is_noise))
        pq.write_table(table, home / "test-00000-of-00001.parquet")
        configs[condition.config_name] = {"rows": len(rows), "sha256": config_sha256(rows)}
    content = {
        "benchmark": benchmark,
        "data_version": "1.0.0",
        "toolchain": {"spacy": "3.8.0"},
        "axis": "gender",
        "sources": [],
        "dropped": [],
        "invalid_pairs": {},
        "algorithm_version": "1",
        "seed": seed,
        "rules": "paper",
        "noise_draws": "independent",
        "configs": configs,
        "unreachable": {},
    }
    (folder / "manifest.json").write_text(json.dumps(content | manifest))
    return folder


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterable[None]:
    """No environment, no memo, and a cache of the test's own."""
    for name in ("SOCIOLECT_DATA", "SOCIOLECT_HUB", "SOCIOLECT_SOURCES", "SOCIOLECT_FABLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    data.clear_memo()
    data_hashes.published.cache_clear()
    yield
    data.clear_memo()
    data_hashes.published.cache_clear()


@pytest.fixture
def make_build() -> Callable[..., Path]:
    """`write_build`, for tests that place the folder themselves."""
    return write_build


@pytest.fixture
def build_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write a build and make it the data of the tasks."""

    def make(*args: Any, name: str = "winobias", **kwargs: Any) -> Path:
        folder = write_build(tmp_path / "data" / name, *args, **kwargs)
        monkeypatch.setenv("SOCIOLECT_DATA", str(folder.parent))
        return folder

    return make
