"""What our own code takes of a run: everything but the model."""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Any

import pytest

ANSWERS = 31_680
"""WinoBias, clean and errored: 2 × 1,584 sentences × 2 option orders × 5 samples."""
AIM_SECONDS = 10.0


def cpu_seconds() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime


@pytest.mark.benchmark
def test_the_harness_takes_seconds_for_a_run(
    tmp_path: Path, sources: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """The whole of `sociolect eval` with a model that answers at once, and the answers kept."""
    from lm_eval.api.model import LM
    from lm_eval.api.registry import model_registry

    from sociolect.harness.evaluate import run
    from sociolect.steering.backends.answers import Answered, AnswerStore
    from sociolect.steering.backends.chunked import Runner
    from sociolect.steering.backends.registry import register_backends

    answer = "The sentence names two people. " * 30 + r"So it is \boxed{A}."

    class Instant(LM):  # type: ignore[misc]
        def __init__(self, pretrained: str = "", **_: Any) -> None:
            super().__init__()
            store = AnswerStore(tmp_path / "answers", {"backend": "instant"})
            self.runner = Runner(run_seed=1, size=64, store=store)

        def generate_until(self, requests: Any, disable_tqdm: bool = False) -> list[str]:
            return self.runner.run(
                "generate_until",
                requests,
                lambda chunk, _: Answered([[answer] * p.repeats for p in chunk.prompts], 1),
            )

        def loglikelihood(self, requests: Any) -> Any:
            raise NotImplementedError

        def loglikelihood_rolling(self, requests: Any) -> Any:
            raise NotImplementedError

    register_backends()
    monkeypatch.setitem(model_registry._objs, "instant", Instant)
    arguments = ["--model", "instant", "--model_args", "pretrained=none"]
    arguments += ["--tasks", "winobias_clean", "winobias_l2_30", "--log_samples"]
    run([*arguments, "--output_path", str(tmp_path / "warm"), "--limit", "4"])  # builds the data
    times = []
    for name in ("first", "again"):
        before = cpu_seconds()
        run([*arguments, "--output_path", str(tmp_path / name)])
        times.append(cpu_seconds() - before)
    capsys.readouterr()
    sizes = sum(file.stat().st_size for file in (tmp_path / "answers").rglob("*.jsonl"))
    print(
        f"\n{ANSWERS:,} answers: {times[0]:.1f} s of CPU time, {times[1]:.1f} s when all are kept "
        f"({sizes / 1e6:.0f} MB)",
        file=sys.stderr,
    )
    assert times[0] < AIM_SECONDS
