"""From the files that lm-eval itself writes to the comparison."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.conditions import Condition
from sociolect.harness.compare import Method, compare
from sociolect.harness.results import Run, read_run
from sociolect.harness.selection import select_runs

pytestmark = pytest.mark.slow

TASKS = ["occupations_mini_clean", "occupations_mini_l2_30"]


def write_outputs(out: Path, suffix: str) -> None:
    """What `lm_eval --output_path OUT --log_samples` writes, with a model that answers by rule."""
    from lm_eval.api.model import LM
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    from sociolect.tasks.paths import tasks_path

    class RuleLM(LM):
        """Answers A, B, nothing, A, B … to the samples of a prompt; prefers short continuations."""

        def __init__(self) -> None:
            super().__init__()
            self.seen: Counter[str] = Counter()

        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
            return [self.answer(request.args[0]) for request in requests]

        def answer(self, prompt: str) -> str:
            self.seen[prompt] += 1
            letter = "AB-"[(self.seen[prompt] + len(prompt)) % 3]
            if letter == "-":
                return "I do not know."
            return letter if prompt.endswith("\\boxed{") else f"It is \\boxed{{{letter}}}."

        def loglikelihood(self, requests: list[Any], disable_tqdm: bool = False) -> list[Any]:
            return [(-0.1 * len(r.args[1]) ** (1 + len(r.args[0]) % 3), False) for r in requests]

        def loglikelihood_rolling(self, requests: Any, disable_tqdm: bool = False) -> Any:
            raise NotImplementedError

    tracker = EvaluationTracker(output_path=str(out))
    results = simple_evaluate(
        model=RuleLM(),
        tasks=[task + suffix for task in TASKS],
        task_manager=TaskManager(
            include_path=str(tasks_path() / "occupations_mini"), include_defaults=False
        ),
        evaluation_tracker=tracker,
        log_samples=True,
    )
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    for task in results["configs"]:
        tracker.save_results_samples(task_name=task, samples=samples[task])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from sociolect.generators.build import build

    folder = tmp_path_factory.mktemp("data")
    build("occupations_mini", [Condition("l2", 30)], out=folder / "occupations_mini")
    return folder


@pytest.mark.parametrize("suffix", ["", "_direct", "_ll"])
def test_the_comparison_agrees_with_what_lm_eval_printed(
    suffix: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIOLECT_DATA", str(data))
    write_outputs(tmp_path, suffix)
    selection = select_runs([tmp_path])
    clean, other = (read_run(files) for files in (selection.clean, *selection.others))
    result = compare(clean, [other], Method(metrics=("bias", "acc_pro", "acc_anti")))
    for row in result.rows:
        for side, run in ((row.baseline, clean), (row.other, other)):
            printed = scores(run)
            assert side.pooled == pytest.approx(printed[row.metric], abs=1e-9)
            assert side.unanswered == pytest.approx(printed["unanswered"], abs=1e-9)
        assert row.test is not None
        pairs = len({record.pair_id for record in clean.records})
        assert row.test.n + row.left.unanswered == pairs > 0
    assert clean.partial == ""
    assert 0 < clean.unanswered < clean.asked


def scores(run: Run) -> dict[str, float]:
    """The metrics in the results file of a run."""
    printed = json.loads(run.files.results.read_text("utf-8"))["results"][run.task]
    return {name.partition(",")[0]: value for name, value in printed.items() if "," in name}
