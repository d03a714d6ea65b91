"""A run that is killed at any moment goes on, and ends with the adapter of an undisturbed one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tiny_models import tiny_llama, tiny_training_set

from sociolect.steering.lora.job import Saving
from sociolect.steering.lora.settings import Settings
from sociolect.steering.lora.train import train

pytestmark = [pytest.mark.slow, pytest.mark.end_to_end]

SETTINGS = Settings(rank=4, batch=4, per_device=2, dtype="float32", learning_rate=1e-2)
STEPS = 6  # 22 examples in batches of 4
TIMES = ("seconds", "tokens_per_second")

RUN = """
from sociolect.steering.lora.job import Saving
from sociolect.steering.lora.settings import Settings
from sociolect.steering.lora.train import train
settings = Settings(rank=4, batch=4, per_device=2, dtype="float32", learning_rate=1e-2)
train(place / "data", str(place / "model"), out, settings, prompts=["errors"],
      saving=Saving(steps=1), report=print)
"""
HEAD = """
import os, signal, sys, shutil
from pathlib import Path
place, out = Path(sys.argv[1]), Path(sys.argv[2])
def die(): os.kill(os.getpid(), signal.SIGKILL)
"""
MOMENTS = {
    "halfway through the optimiser of step 3": """
import torch
save = torch.save
def killed(value, path, *rest, **options):
    if str(path).endswith("checkpoint-3/optimizer.pt"):
        Path(path).write_bytes(b"half")
        die()
    save(value, path, *rest, **options)
torch.save = killed
""",
    "before the first checkpoint": """
from sociolect.steering.lora import trainer
trainer.mark_complete = lambda folder: die()
""",
    "after the files of step 4, before its marker": """
from sociolect.steering.lora import trainer
mark = trainer.mark_complete
trainer.mark_complete = lambda folder: die() if folder.name == "checkpoint-4" else mark(folder)
""",
    "after the marker of step 4, before older ones are removed": """
from sociolect.steering.lora import trainer
trainer.prune = lambda found: die() if found[0].step == 4 else None
""",
    "while an old checkpoint is removed": """
remove = shutil.rmtree
def killed(path, *rest, **options):
    if str(path).endswith("checkpoint-2"):
        (Path(path) / "optimizer.pt").unlink()
        die()
    remove(path, *rest, **options)
shutil.rmtree = killed
""",
    "after the last step, before the adapter": """
from sociolect.steering.lora import run
run.write_adapter = lambda *_: die()
""",
    "while the adapter is written": """
from sociolect.steering.lora import finish
finish.plot_losses = lambda *_: die()
""",
    "after the adapter, before the checkpoints are removed": """
from sociolect.steering.lora import run
write = run.write_adapter
def killed(*arguments):
    write(*arguments)
    die()
run.write_adapter = killed
""",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, a training set, and the adapter of an undisturbed run."""
    folder = tmp_path_factory.mktemp("resume")
    tiny_llama(folder / "model")
    tiny_training_set(folder / "data")
    resume(folder, folder / "undisturbed")
    return folder


def resume(place: Path, out: Path) -> list[str]:
    lines: list[str] = []
    train(
        place / "data",
        str(place / "model"),
        out,
        SETTINGS,
        prompts=["errors"],
        saving=Saving(steps=1),
        report=lines.append,
    )
    return lines


def start(code: str, place: Path, out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HEAD + code + RUN, str(place), str(out)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def timeless(value: Any) -> Any:
    return {key: v for key, v in value.items() if key not in TIMES}


def assert_same_adapter(first: Path, second: Path) -> None:
    names = sorted(path.name for path in first.iterdir())
    assert names == sorted(path.name for path in second.iterdir())
    for name in names:
        a, b = (folder / name for folder in (first, second))
        if name == "training.json":
            assert timeless(json.loads(a.read_text())) == timeless(json.loads(b.read_text()))
        elif name == "training_log.jsonl":
            lines = [
                [timeless(json.loads(line)) for line in p.read_text().splitlines()] for p in (a, b)
            ]
            assert lines[0] == lines[1]
            assert len(lines[0]) == STEPS
        else:
            assert a.read_bytes() == b.read_bytes(), name


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_a_moment(place: Path, tmp_path: Path, moment: str) -> None:
    process = start(MOMENTS[moment], place, tmp_path / "out")
    _, said = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, said
    lines = resume(place, tmp_path / "out")
    assert_same_adapter(place / "undisturbed/errors", tmp_path / "out/errors")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["errors"]
    after = moment.startswith(("after the adapter", "before the first"))
    assert any("going on after step" in line for line in lines) is not after
    if "before its marker" in moment or "halfway" in moment:
        assert any("removing the checkpoint" in line for line in lines)


@pytest.mark.parametrize("step", [1, 4])
def test_killed_from_outside(place: Path, tmp_path: Path, step: int) -> None:
    """At whatever moment that turns out to be, once a step is logged; and once more."""
    process = start("", place, tmp_path / "out")
    log = tmp_path / "out/errors.run/training_log.jsonl"
    while process.poll() is None:
        if log.exists() and log.read_text().count("\n") >= step:
            process.kill()
            break
        time.sleep(0.005)
    process.communicate(timeout=60)
    resume(place, tmp_path / "out")
    assert_same_adapter(place / "undisturbed/errors", tmp_path / "out/errors")


def test_a_damaged_checkpoint_is_not_loaded(place: Path, tmp_path: Path) -> None:
    """The one before it is; a pickled file that was tampered with is never opened."""
    process = start(MOMENTS["after the last step, before the adapter"], place, tmp_path / "out")
    process.communicate(timeout=120)
    last = tmp_path / f"out/errors.run/checkpoint-{STEPS}"
    (last / "optimizer.pt").write_bytes(b"cos\nsystem\n(S'touch " + b"/tmp/owned'\ntR.")
    lines = resume(place, tmp_path / "out")
    assert f"removing the checkpoint of step {STEPS}: optimizer.pt is damaged" in lines
    assert f"going on after step {STEPS - 1}" in lines
    assert_same_adapter(place / "undisturbed/errors", tmp_path / "out/errors")


def test_an_unfinished_run_with_other_settings_is_refused(place: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    from sociolect.generators.errors import TrainingError

    process = start(MOMENTS["before the first checkpoint"], place, tmp_path / "out")
    process.communicate(timeout=120)
    for name in ("errors", "clean"):
        with pytest.raises(TrainingError, match=r"settings\.seed: 0 and 7"):
            train(
                place / "data",
                str(place / "model"),
                tmp_path / "out",
                replace(SETTINGS, seed=7),
                prompts=[name],
            )


def test_two_processes_with_one_folder_make_one_adapter(place: Path, tmp_path: Path) -> None:
    both = [start("", place, tmp_path / "out") for _ in range(2)]
    said = [process.communicate(timeout=200) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sum("waiting for it" in err for _, err in said) == 1
    assert sum("finished already" in out for out, _ in said) == 1
    assert_same_adapter(place / "undisturbed/errors", tmp_path / "out/errors")
