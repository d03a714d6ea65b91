"""Time of the flips: 25 conditions of 3,822 verdicts, and of reading them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rich.table import Table

from sociolect.generators.conditions import NOISE_LEVELS, NOISES, Condition
from sociolect.harness.judging.analysis import analyse
from sociolect.harness.judging.reading import read_judges
from sociolect.harness.judging.verdicts import Floats, Ints, Items, Judgements, Noisy, coded

pytestmark = pytest.mark.benchmark

CATEGORIES = 7
QUESTIONS, PAIRS = 6, 91
LIMIT = 2.0
TIME = "2026-03-04T05-06-07.123456"
LABELS = ("A", "B", "NONE", "no idea")


def ids() -> list[str]:
    """Of the 3,822 items."""
    return [
        f"fable/category{c}/category{c}-{q}/{p:02d}"
        for c in range(CATEGORIES)
        for q in range(QUESTIONS)
        for p in range(PAIRS)
    ]


def synthetic(seed: int = 0) -> Judgements:
    """A judge that moves more verdicts under more noise."""
    rng, names = np.random.default_rng(seed), ids()
    parts = [name.split("/") for name in names]
    items = Items(
        tuple(names),
        coded([name.rpartition("/")[0] for name in names]),
        coded([part[1] for part in parts]),
        coded([part[3] for part in parts]),
        rng.integers(-1, 2, len(names)),
    )
    clean = rng.choice([-1, 0, 1, 2], len(names), p=[0.02, 0.2, 0.3, 0.48])
    noisy = []
    for name in NOISES:
        for level in NOISE_LEVELS:
            moved = rng.random(len(names)) < 0.3 * level / 100
            verdicts = np.where(moved, rng.integers(-1, 3, len(names)), clean)
            share = np.clip(rng.normal(0.6 * level / 100, 0.05, len(names)), 0, 1)
            changes = np.stack([share, share / 4, np.ones_like(share)], axis=1)
            condition = Condition(name, level)
            noisy.append(Noisy(condition, condition.config_name, verdicts, changes))
    return Judgements("synthetic", "fable", "reason", items, clean, tuple(noisy))


def test_flips_of_25_conditions(
    show: Callable[[Table | str], None], columns: Callable[..., Table]
) -> None:
    judged = synthetic()
    analyse(judged)  # imports
    table = columns("Flips of 25 conditions x 3,822 items, seconds", "run", "wall", "CPU")
    wall, cpu = [], []
    for run in range(3):
        starts = time.perf_counter(), time.process_time()
        found = analyse(judged)
        wall.append(time.perf_counter() - starts[0])
        cpu.append(time.process_time() - starts[1])
        table.add_row(str(run + 1), f"{wall[-1]:.2f}", f"{cpu[-1]:.2f}")
    show(table)
    assert len(found.conditions) == len(NOISES) * len(NOISE_LEVELS)
    assert all(one.rates["flips"].interval is not None for one in found.conditions)
    assert min(cpu) < LIMIT  # others may share the machine


def test_reading_26_samples_files(tmp_path: Path, show: Callable[[Table | str], None]) -> None:
    judged = synthetic()
    write_runs(judged, tmp_path / "judge")
    starts = time.perf_counter(), time.process_time()
    (read,), _ = read_judges([tmp_path])
    seconds, cpu = time.perf_counter() - starts[0], time.process_time() - starts[1]
    size = sum(path.stat().st_size for path in tmp_path.glob("judge/samples_*")) / 1e6
    show(
        f"\nReading 26 samples files of 3,822 lines ({size:.0f} MB): {seconds:.1f} s, "
        f"{cpu:.1f} s of it CPU"
    )
    assert (read.clean == judged.clean).all()
    for one, other in zip(read.noisy, judged.noisy, strict=True):
        assert (one.verdicts == other.verdicts).all()
        assert one.changes is not None
        assert other.changes is not None
        assert np.allclose(one.changes, other.changes)


def write_runs(judged: Judgements, folder: Path) -> None:
    """As lm-eval leaves them, with responses of 60 words."""
    folder.mkdir()
    runs: list[tuple[Condition, Ints, Floats | None]] = [(Condition(), judged.clean, None)]
    runs += [(one.condition, one.verdicts, one.changes) for one in judged.noisy]
    names = [f"fable_{condition.task_suffix}" for condition, *_ in runs]
    count = {"original": len(judged.clean), "effective": len(judged.clean)}
    results = {
        "results": {name: {} for name in names},
        "configs": {name: {"repeats": 1, "generation_kwargs": {}} for name in names},
        "n-shot": dict.fromkeys(names, 0),
        "n-samples": dict.fromkeys(names, count),
        "config": {"model": "hf", "model_args": {"pretrained": "synthetic"}},
    }
    (folder / f"results_{TIME}.json").write_text(json.dumps(results), "utf-8")
    for name, (condition, verdicts, changes) in zip(names, runs, strict=True):
        with (folder / f"samples_{name}_{TIME}.jsonl").open("w", encoding="utf-8") as file:
            for i, verdict in enumerate(verdicts.tolist()):
                doc = document(judged, i, condition)
                if changes is not None:
                    fields = ("token_change", "char_distance", "length_ratio")
                    doc |= dict(zip(fields, changes[i].tolist(), strict=True))
                line = {"doc": doc, "filtered_resps": [[LABELS[verdict]]], "filter": "all"}
                file.write(json.dumps(line) + "\n")


def document(judged: Judgements, i: int, condition: Condition) -> dict[str, object]:
    """A document of a judge task."""
    name = judged.items.ids[i]
    return {
        "id": name,
        "pair_id": name,
        "pair_valid": True,
        "member": "",
        "gold": 2,
        "target_option": int(judged.items.target[i]),
        "question": "Which of the two struggled to set up the new telephone?",
        "options": [f"Emma {name[-2:]}", "Walter", "neither"],
        "input": "words and more words " * 20,
        "order": 0,
        "benchmark": "fable",
        "axis": "",
        "form": "reason",
        "transform": condition.transform,
        "level": condition.level,
        "part": "input",
        "seed": 0,
        "data_version": "1.0.0",
        "data_sha256": f"{condition.config_name:x<64}",
        "rules": "paper",
        "local_data": False,
        "task_format": 1,
        "answer_mode": "lenient",
    }
