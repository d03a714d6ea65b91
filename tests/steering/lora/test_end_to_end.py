"""From training data to the comparison, by the commands of the documentation, on a real model.

The model has 135 million parameters and learns for a few steps: the numbers mean nothing, their
coming about does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.end_to_end

LIMIT_SECONDS = 600
"""By the clock, on two cores that do nothing else."""
_THREADS = str(min(2, os.cpu_count() or 1))
BOTH_CORES = {
    **os.environ,
    **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), _THREADS),
    "OMP_WAIT_POLICY": "PASSIVE",  # a thread that spins while it waits slows down the other
}
ITEMS = 16
BATCH_SIZE = "4"
"""Examples a step: a quarter of the default, so that few items make as many steps."""
STEPS = 4
DIRECT = ("winobias_clean_direct", "winobias_l2_30_direct")
CLOZE = ("winobias_clean_ll", "winobias_l2_30_ll")
PAIRS = {DIRECT: 25, CLOZE: 100}
DOCUMENTS = {DIRECT: 100, CLOZE: 200}
"""A pair is two sentences, in the direct form in two option orders each."""
SAMPLES = json.dumps(
    {task: list(range(count)) for tasks, count in DOCUMENTS.items() for task in tasks}
)
SHORT = "do_sample=False,temperature=0.0,max_gen_toks=6"
"""Answers are greedy, so that one is computed for the five of a prompt; most of so small a model
run on to the last token that they may have."""


def sociolect(*arguments: str) -> str:
    command = [str(Path(sys.executable).with_name("sociolect")), *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS, env=BOTH_CORES
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def model() -> Path:
    from sociolect.harness.smollm2 import ensure_model

    return ensure_model("float32")


@pytest.mark.skipif(
    not os.environ.get("SOCIOLECT_SOURCES"), reason="SOCIOLECT_SOURCES names no folder of files"
)
def test_two_adapters_are_trained_evaluated_and_compared(model: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    times: dict[str, float] = {}

    def lap(name: str) -> None:
        times[name] = time.monotonic() - began - sum(times.values())

    data, adapters, results = tmp_path / "data", tmp_path / "adapters", tmp_path / "results"
    base = f"pretrained={model},dtype=float32"
    sociolect(
        *("finetune", "prepare", "--model", "sociolect-hf"),
        *("--model_args", f"{base},batch_size=24"),
        *("--out", str(data), "--items", str(ITEMS), "--form", "direct"),
    )
    lap("prepare")
    training = ("--model", str(model), "--dtype", "float32", "--no-gradient-checkpointing")
    training += ("--batch", BATCH_SIZE)
    sociolect("finetune", "train", str(data), *training, "--out", str(adapters))
    lap("train")
    records = {
        name: json.loads((adapters / name / "training.json").read_text("utf-8"))
        for name in ("clean", "errors")
    }
    assert min(len(log(adapters / name)) for name in records) >= STEPS
    for adapter in (None, "clean", "errors"):
        given = base if adapter is None else f"{base},peft={adapters / adapter}"
        sociolect(
            *("eval", "--model", "sociolect-hf", "--model_args", given, "--device", "cpu"),
            *("--batch_size", "20", "--samples", SAMPLES, "--gen_kwargs", SHORT, "--log_samples"),
            *("--output_path", str(results), "--tasks", *DIRECT, *CLOZE),
        )
        lap(f"evaluate {adapter or 'base'}")
    named = ("--base", str(model), "--ft-clean", str(adapters / "clean"))
    named += ("--ft-errors", str(adapters / "errors"))
    for tasks, form in ((DIRECT, "direct"), (CLOZE, "ll")):
        out = tmp_path / f"{form}.json"
        table = sociolect("finetune", "report", str(results), *named, "--form", form)
        sociolect("finetune", "report", str(results), *named, "--form", form, "--out", str(out))
        print(table)
        check(json.loads(out.read_text("utf-8")), tasks, results)
    lap("report")
    print(", ".join(f"{name} {seconds:.0f} s" for name, seconds in times.items()))
    print(f"{sum(times.values()):.0f} s by the clock")
    assert sum(times.values()) < LIMIT_SECONDS


def log(adapter: Path) -> list[str]:
    return (adapter / "training_log.jsonl").read_text("utf-8").splitlines()


def check(report: dict[str, Any], tasks: Sequence[str], results: Path) -> None:
    """The numbers are lm_eval's own, the pairs are all there, and the adapters differ rightly."""
    printed = biases(results)
    table = {row["role"]: row for row in report["table"] if row["metric"] == "bias"}
    assert set(table) == {"base", "ft_clean", "ft_errors"}
    for role, row in table.items():
        for value, task in zip(("clean", "errored"), tasks, strict=True):
            assert row[value] == pytest.approx(printed[role, task]), (role, task)
        assert row["increase"] == pytest.approx(row["errored"] - row["clean"])
    tests = [row for row in report["tests"] if row["metric"] == "bias"]
    assert {(row["test"], row["role"], row["baseline_role"]) for row in tests} == {
        *(("between", "ft_errors", other) for other in ("base", "ft_clean")),
        *(("within", role, role) for role in table),
    }
    left = ("left_unanswered", "left_incomplete", "left_invalid")
    assert {row["n"] + sum(row[name] for name in left) for row in tests} == {PAIRS[tuple(tasks)]}
    assert all(0 < row["p"] <= 1 for row in tests)
    assert report["missing"] == []


def biases(results: Path) -> dict[tuple[str, str], float]:
    """What lm_eval wrote, by role and task."""
    found = {}
    for path in results.rglob("results_*.json"):
        content = json.loads(path.read_text("utf-8"))
        adapter = content["config"]["model_args"].get("peft")
        role = f"ft_{Path(adapter).name}" if adapter else "base"
        for task, metrics in content["results"].items():
            found[role, task] = metrics["bias,all" if "bias,all" in metrics else "bias,none"]
    return found
