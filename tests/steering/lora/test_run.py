"""A run that cannot or need not begin says so, and one that fails loses nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tiny_models import TINY_SETTINGS as SETTINGS
from tiny_models import record, run, tiny_llama, tiny_place, tiny_training_set, weights

from sociolect.generators.errors import (
    InvalidInputError,
    ModelError,
    TrainingError,
    UnknownNameError,
)
from sociolect.steering.lora import run as runs
from sociolect.steering.lora.checkpoints import mark_complete
from sociolect.steering.lora.job import Saving, prepare
from sociolect.steering.lora.processes import Processes
from sociolect.steering.lora.train import train


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, a training set, and adapters trained from them."""
    return tiny_place(tmp_path_factory.mktemp("run"))


def test_a_finished_adapter_is_left_alone(place: Path) -> None:
    lines: list[str] = []
    stamps = {p: p.stat().st_mtime_ns for p in (place / "out").rglob("*")}
    made = run(place, place / "out", report=lines.append)
    assert [one.is_new for one in made] == [False, False]
    assert [line for line in lines if "finished already" in line] == lines
    assert {p: p.stat().st_mtime_ns for p in (place / "out").rglob("*")} == stamps


def test_finished_adapters_outlive_an_upgrade(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of other versions, a run cannot go on, but one that is finished needs nothing of them."""
    from sociolect.steering.lora import job

    monkeypatch.setattr(job, "versions", lambda: {"torch": "99"})
    assert [one.is_new for one in run(place, place / "out")] == [False, False]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda path: path.unlink(), "missing"),
        (lambda path: path.write_bytes(path.read_bytes()[:-8]), "damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1] + b"?"), "damaged"),
        (lambda path: (path.unlink(), path.mkdir()), "unreadable"),
    ],
)
def test_an_adapter_of_other_weights_is_not_finished(
    place: Path, tmp_path: Path, damage: Callable[[Path], object], said: str
) -> None:
    shutil.copytree(place / "out", tmp_path / "out")
    path = tmp_path / "out/errors/adapter_model.safetensors"
    damage(path)
    with pytest.raises(TrainingError, match=f"{path} is {said}.*remove the folder {path.parent}"):
        run(place, tmp_path / "out")


@pytest.mark.parametrize("prompts", [["clean"], ["errors"]])
def test_other_settings_are_refused_with_the_difference(place: Path, prompts: list[str]) -> None:
    settings = replace(SETTINGS, learning_rate=2e-4)
    with pytest.raises(TrainingError, match=r"settings\.learning_rate: 0\.01 and 0\.0002"):
        run(place, place / "out", settings, prompts=prompts)


def test_other_data_are_refused(place: Path, tmp_path: Path) -> None:
    tiny_training_set(tmp_path / "data", 20)
    with pytest.raises(TrainingError, match=r"data\.examples: 22 and 20"):
        train(tmp_path / "data", str(place / "model"), place / "out", SETTINGS)


def test_an_adapter_alone_is_compared_with_its_sibling_before_it_is_trained(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(place, tmp_path / "out", prompts=["clean"])
    monkeypatch.setattr(runs, "train_adapter", None)  # nothing may be trained
    with pytest.raises(TrainingError, match=r"more than the prompts.*settings\.seed: 0 and 1"):
        run(place, tmp_path / "out", replace(SETTINGS, seed=1), prompts=["errors"])


def test_a_sibling_that_turns_out_different_is_named(place: Path, tmp_path: Path) -> None:
    run(place, tmp_path / "out")
    path = tmp_path / "out/clean/training.json"
    path.write_text(json.dumps({**record(path.parent), "initial_weights_sha256": "0"}))
    with pytest.raises(TrainingError, match=r"clean and errors differ.*initial_weights_sha256"):
        run(place, tmp_path / "out")


def test_a_loss_that_is_no_number_ends_the_run_and_keeps_the_last_good_checkpoint(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolect.steering.lora.settings.HIGHEST", 1e30)
    settings = replace(SETTINGS, learning_rate=1e30)
    with pytest.raises(TrainingError, match=r"step 2: the loss.*losses before: \d.*--learning-r"):
        run(place, tmp_path / "out", settings, saving=Saving(steps=1))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["clean.run"]
    checkpoints = sorted(p.name for p in (tmp_path / "out/clean.run").glob("checkpoint-*"))
    assert checkpoints == ["checkpoint-1"]


@pytest.mark.parametrize("batch", [8, 24])
def test_weights_that_are_no_numbers_are_never_saved(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """Of a single step, whose loss is still a number, and of the first of three."""
    monkeypatch.setattr("sociolect.steering.lora.settings.HIGHEST", 1e30)
    settings = replace(SETTINGS, learning_rate=1e30, weight_decay=1e30, batch=batch)
    with pytest.raises(TrainingError, match=r"step 1: after its update, the weights.*none;.*No ad"):
        run(place, tmp_path / "out", settings, saving=Saving(steps=1))
    assert not list((tmp_path / "out").rglob("*.safetensors"))


@pytest.mark.parametrize(
    "error",
    ["torch", MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: 9 bytes")],
)
def test_too_little_memory_says_what_to_lower(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    import torch

    def fail(*_: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.") if error == "torch" else error

    monkeypatch.setattr(runs, "load_model", fail)
    with pytest.raises(ModelError, match=r"--per-device \(now 4; the batch stays 8\).*now off"):
        run(place, tmp_path / "out")


def test_an_error_of_another_kind_stays_what_it_is(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("something else")

    monkeypatch.setattr(runs, "load_model", fail)
    with pytest.raises(RuntimeError, match="something else"):
        run(place, tmp_path / "out")


def test_what_cannot_be_is_refused_before_anything_is_written(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(UnknownNameError, match="prompt set 'dirty'"):
        run(place, out, prompts=["dirty"])
    with pytest.raises(InvalidInputError, match="batch of 8"):
        run(place, out, replace(SETTINGS, per_device=3))
    with pytest.raises(InvalidInputError, match="--max-length is 999"):
        run(place, out, replace(SETTINGS, max_length=999))
    with pytest.raises(InvalidInputError, match="--save-steps is 0"):
        Saving(steps=0)
    with pytest.raises(ModelError, match="cannot load the base model"):
        train(place / "data", str(tmp_path / "none"), out, SETTINGS)
    assert not out.exists()


def test_a_folder_that_holds_something_else_is_left_alone(place: Path, tmp_path: Path) -> None:
    for name in ("clean", "clean.run"):
        out = tmp_path / name / "out"
        (out / name).mkdir(parents=True)
        (out / name / "letter.txt").write_text("mine")
        with pytest.raises(TrainingError, match="holds something that is no"):
            run(place, out, prompts=["clean"])
        assert (out / name / "letter.txt").read_text() == "mine"


@pytest.mark.parametrize("there", ["out", "out/clean", "out/clean.run", ""])
def test_a_file_in_the_way_of_a_folder_is_named(place: Path, tmp_path: Path, there: str) -> None:
    out = tmp_path / (there and "deep") / "out"
    file = out.parent / there if there else tmp_path / "file"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("mine")
    with pytest.raises((TrainingError, InvalidInputError), match=r"out.*name another --out"):
        run(place, out if there else file / "out", prompts=["clean"])
    assert file.read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_named(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", fail)
    job = prepare(
        place / "data", str(place / "model"), SETTINGS, Saving(), Processes(0, 1), lambda _: None
    )
    with pytest.raises(InvalidInputError, match=r"cannot write to .*clean\.run \(Read-only file s"):
        runs.train_adapter(job, "clean", tmp_path / "out/clean")


@pytest.mark.parametrize("what", ["checkpoint-2/adapter", "checkpoint-2/optimizer", ".clean.part"])
def test_a_full_disk_keeps_the_last_complete_checkpoint(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    import safetensors.torch
    import torch

    def full(write: Any, error: Exception, at: int) -> Any:
        def fail(*arguments: Any, **options: Any) -> Any:
            if what in str(arguments[at]):
                raise error
            return write(*arguments, **options)

        return fail

    no_space = safetensors.SafetensorError("I/O error: No space left on device")
    written = RuntimeError("PytorchStreamWriter failed writing file data/1: file write failed")
    with monkeypatch.context() as patched:
        patched.setattr(torch, "save", full(torch.save, written, 1))
        for module in ("peft.peft_model.safe_save_file", "safetensors.torch.save_file"):
            patched.setattr(module, full(safetensors.torch.save_file, no_space, 1))
        with pytest.raises(TrainingError, match=r"cannot write .*out/clean.*free space on the di"):
            run(place, tmp_path / "out", prompts=["clean"], saving=Saving(steps=1))
    lines: list[str] = []
    run(place, tmp_path / "out", prompts=["clean"], saving=Saving(steps=1), report=lines.append)
    assert f"going on after step {1 if '2' in what else 3}" in lines
    assert weights(tmp_path / "out/clean") == weights(place / "out/clean")


def test_a_checkpoint_whose_pickle_would_run_code_is_passed_over(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where its hash is right."""
    import torch

    with monkeypatch.context() as patched:
        patched.setattr(runs, "write_adapter", raise_interrupt)
        with pytest.raises(KeyboardInterrupt):
            run(place, tmp_path / "out", prompts=["clean"], saving=Saving(steps=1))
    last = tmp_path / "out/clean.run/checkpoint-3"
    torch.save({"state": Trap(tmp_path / "owned")}, last / "optimizer.pt")
    mark_complete(last)
    lines: list[str] = []
    run(place, tmp_path / "out", prompts=["clean"], saving=Saving(steps=1), report=lines.append)
    assert lines == [
        "removing the checkpoint of step 3: optimizer.pt cannot be loaded safely",
        "going on after step 2",
    ]
    assert not (tmp_path / "owned").exists()
    assert weights(tmp_path / "out/clean") == weights(place / "out/clean")


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self._path,)


def raise_interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def test_a_tokenizer_of_another_model_is_refused(place: Path, tmp_path: Path) -> None:
    tiny_llama(tmp_path / "model", vocab_size=60)
    with pytest.raises(ModelError, match="do not belong together"):
        train(place / "data", str(tmp_path / "model"), tmp_path / "out", SETTINGS)


def test_checkpoints_can_be_kept(place: Path, tmp_path: Path) -> None:
    for _ in range(2):  # they also outlive a second call
        run(place, tmp_path / "out", prompts=["clean"], saving=Saving(steps=1, keep=True))
        kept = sorted(p.name for p in (tmp_path / "out/clean.run").glob("checkpoint-*"))
        assert kept == ["checkpoint-1", "checkpoint-2", "checkpoint-3"]
    assert weights(tmp_path / "out/clean") == weights(place / "out/clean")
    run(place, tmp_path / "out", prompts=["clean"])  # and one that does not ask for them
    assert kept == sorted(p.name for p in (tmp_path / "out/clean.run").glob("checkpoint-*"))


def test_what_a_finished_run_did_not_make_is_never_removed(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "out", tmp_path / "out")
    folder = tmp_path / "out/clean.run"
    (folder / "checkpoint-1").mkdir(parents=True)
    lines: list[str] = []
    run(place, tmp_path / "out", prompts=["clean"], report=lines.append)
    assert (folder / "checkpoint-1").is_dir()
    assert lines[0] == f"{folder} is left as it is: it is not the run of this adapter"

    finished = record(tmp_path / "out/clean")
    (folder / "run.json").write_text(json.dumps(finished))
    (folder / "letter.txt").write_text("mine")
    run(place, tmp_path / "out", prompts=["clean"], report=lines.append)
    assert [path.name for path in folder.iterdir()] == ["letter.txt"]
    assert "it holds what the run did not make (letter.txt)" in lines[2]


def test_what_a_killed_run_left_behind_is_removed(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "out", tmp_path / "out")
    folder = tmp_path / "out/clean.run"
    (folder / "checkpoint-1").mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(record(tmp_path / "out/clean")))
    (folder / "training_log.jsonl").touch()
    run(place, tmp_path / "out", prompts=["clean"])
    assert not folder.exists()
