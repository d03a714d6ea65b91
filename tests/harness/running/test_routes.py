"""The three routes end to end, each in processes of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lm_eval")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("offline")]

L2 = "occupations_mini_l2_20"
CLOZE, DIRECT = f"{L2}_ll", f"{L2}_direct"


def call(*arguments: object, path: Path | None = None, code: int = 0) -> str:
    """Run `python -m …` and return both its outputs; `path` goes before all other modules."""
    environ = {**os.environ, "PYTHONPATH": str(path)} if path else dict(os.environ)
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == code, output
    return output


def sociolect(*arguments: object, path: Path | None = None, code: int = 0) -> str:
    return call("sociolect.harness.cli", *arguments, path=path, code=code)


def model(folder: Path) -> list[object]:
    return [
        "--model",
        "hf",
        "--model_args",
        f"pretrained={folder},dtype=float32",
        "--device",
        "cpu",
    ]


def scored(out: Path, task: str = CLOZE) -> tuple[dict[str, Any], list[object]]:
    """Figures and answers of the one run below a folder."""
    (results,) = out.rglob("results_*.json")
    (samples,) = out.rglob(f"samples_{task}_2*.jsonl")
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    return json.loads(results.read_text())["results"][task], [row["resps"] for row in rows]


def test_all_routes_give_the_same_figures(tiny_llamas, lm_eval_copy, tmp_path):
    def arguments(name: str, task: str = CLOZE) -> list[object]:
        out = ["--output_path", tmp_path / name, "--log_samples"]
        return [*model(tiny_llamas[0]), "--tasks", task, "--limit", 8, *out]

    folder = sociolect("tasks-path").strip()
    call("lm_eval", "run", "--include_path", folder, *arguments("path"), path=lm_eval_copy)

    sociolect("eval", *arguments("eval"))

    refused = call("lm_eval", *arguments("none"), path=lm_eval_copy, code=1)
    assert f"Tasks not found: {CLOZE}" in refused
    assert "lm_eval finds the tasks" in sociolect("register", path=lm_eval_copy)
    call("lm_eval", *arguments("registered"), path=lm_eval_copy)
    assert "not registered" in sociolect("unregister", path=lm_eval_copy)
    assert "Tasks not found" in call("lm_eval", *arguments("none"), path=lm_eval_copy, code=1)

    figures, answers = scored(tmp_path / "path")
    assert len(answers) == 8
    assert figures["unanswered,all"] == 0
    assert scored(tmp_path / "eval") == (figures, answers)
    assert scored(tmp_path / "registered") == (figures, answers)


def test_status_changes_nothing(lm_eval_copy):
    before = sorted(lm_eval_copy.rglob("*.yaml"))
    assert "not registered" in sociolect("register", "--status", path=lm_eval_copy)
    assert sorted(lm_eval_copy.rglob("*.yaml")) == before


def test_bare_lm_eval_with_its_own_index():
    folder = sociolect("tasks-path").strip()
    arguments = ["--model", "dummy", "--tasks", L2, "--limit", 4]
    output = call("lm_eval", "run", "--include_path", folder, *arguments)
    assert f"|{L2}|" in output


def test_direct_form_samples_short_answers(tiny_llamas, tmp_path):
    out = ["--output_path", tmp_path, "--log_samples"]
    output = sociolect("eval", *model(tiny_llamas[0]), "--tasks", DIRECT, "--limit", 4, *out)
    figures, answers = scored(tmp_path, DIRECT)
    assert [len(row[0]) for row in answers] == [5] * 4
    assert len({answer for row in answers for answer in row[0]}) > 1
    assert ("NOT ONE ANSWER" in output) == (figures["unanswered,all"] == 100)
    assert "PROMPTS WERE CUT" not in output


def test_prompts_beyond_the_context_are_reported(tiny_llamas, tmp_path):
    args = model(tiny_llamas[0])
    args[3] = f"{args[3]},max_length=100"
    out = ["--output_path", tmp_path]
    output = sociolect("eval", *args, "--tasks", DIRECT, "--limit", 4, *out)
    assert "PROMPTS TOO LONG, 4 of 4" in output
    assert "PROMPTS WERE CUT" not in output
    (record,) = tmp_path.rglob("sociolect_*.json")
    assert any("PROMPTS TOO LONG" in m for m in json.loads(record.read_text())["messages"])


def test_registered_and_core_tasks_together(lm_eval_copy):
    sociolect("register", path=lm_eval_copy)
    script = lm_eval_copy / "both.py"
    script.write_text(
        "from lm_eval.utils import setup_logging\n"
        "from sociolect.harness.requested import find_tasks\n"
        "setup_logging()\n"
        f"found = find_tasks(['arc_easy', {L2!r}])\n"
        "print([task.name for task in found.tasks], found.others, len(found.include_path))\n"
    )
    output = call("both", path=lm_eval_copy)
    assert f"['{L2}'] True 0" in output
    assert "overrides" not in output


def test_misspelt_task_ends_with_near_matches():
    output = sociolect("eval", "--model", "hf", "--tasks", "occupations_mini_l2_2O", code=2)
    assert "near matches: occupations_mini_l2_20" in output
    assert "Traceback" not in output


def test_missing_data_are_met_before_the_model_loads(monkeypatch, tmp_path):
    monkeypatch.setenv("SOCIOLECT_DATA", str(tmp_path))
    output = sociolect("eval", "--model", "dummy", "--tasks", L2, code=1)
    assert "SOCIOLECT_DATA" in output
    assert "Traceback" not in output
    assert "Initializing" not in output


def test_another_lm_eval_is_named(tmp_path):
    package = tmp_path / "lm_eval"
    package.mkdir()
    (package / "__init__.py").touch()
    assert "needs lm_eval" in sociolect("eval", "--tasks", L2, path=tmp_path, code=1)
    assert "no lm_eval with a task folder" in sociolect("register", path=tmp_path, code=1)
