from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sociolect.generators.errors import InvalidInputError
from sociolect.harness import demo_model
from sociolect.harness.demo_model import ready_model, scoring

WEIGHTS = "model.safetensors"


@pytest.fixture
def folder(tiny_llamas: tuple[Path, Path], tmp_path: Path, offline: Path) -> Path:
    """A whole model, with a comma in its path."""
    return Path(shutil.copytree(tiny_llamas[0], tmp_path / "tiny,one"))


def refused(model: object, device: str = "cpu") -> str:
    with pytest.raises(InvalidInputError) as caught:
        ready_model(str(model), device)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_whole_model_is_taken(folder):
    assert json.loads(ready_model(str(folder), "cpu")) == {"pretrained": str(folder)}


def test_without_weights(folder):
    (folder / WEIGHTS).unlink()
    message = refused(folder)
    assert str(folder) in message
    assert "no weights" in message


@pytest.mark.parametrize("keep", [0, 5, 2000, -1])
def test_truncated_weights(folder, keep):
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:keep])
    assert f"{WEIGHTS} is damaged" in refused(folder)


@pytest.mark.parametrize("zipped", [True, False])
def test_weights_of_torch(folder, zipped):
    torch = pytest.importorskip("torch")
    (folder / WEIGHTS).unlink()
    path = folder / "pytorch_model.bin"
    torch.save({"a": torch.zeros(3)}, path, _use_new_zipfile_serialization=zipped)
    assert ready_model(str(folder), "cpu")
    path.write_bytes(path.read_bytes()[:200] if zipped else b"no weights")
    assert f"{path.name} is damaged" in refused(folder)


def test_missing_shard(folder):
    (folder / WEIGHTS).rename(folder / "model-1.safetensors")
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (folder / f"{WEIGHTS}.index.json").write_text(json.dumps(index))
    assert "model-2.safetensors is missing" in refused(folder)
    (folder / f"{WEIGHTS}.index.json").write_text("{")
    assert "its weights" in refused(folder)


def test_without_tokenizer(folder):
    for path in folder.glob("tokenizer*"):
        path.unlink()
    assert "its tokenizer" in refused(folder)


@pytest.mark.parametrize("content", ["{", "{}", "[]"])
def test_broken_config(folder, content):
    (folder / "config.json").write_text(content)
    assert "cannot be loaded" in refused(folder)


def test_a_name_that_is_nowhere(folder, monkeypatch):
    monkeypatch.chdir(folder)
    message = refused("nonsense")
    assert f"no such folder in {folder}" in message
    assert "no such folder" not in refused(folder.parent)
    assert "is a file" in refused(WEIGHTS)


def test_devices_that_are_not_there(folder, monkeypatch):
    torch = pytest.importorskip("torch")
    assert "is unknown" in refused(folder, "gpu")
    assert "--device xpu:99 cannot be used here" in refused(folder, "xpu:99")
    if not torch.cuda.is_available():
        assert "--device cuda cannot be used here" in refused(folder, "cuda")


def test_what_goes_wrong_while_scoring_names_the_model():
    safetensors = pytest.importorskip("safetensors")
    for error in (RuntimeError("out of memory\nand more"), safetensors.SafetensorError("short")):
        said = r"--model 'mine' could not be.*(mem|short)"
        with pytest.raises(InvalidInputError, match=said), scoring("mine"):
            raise error
    with pytest.raises(InvalidInputError, match=demo_model.smollm2.MODEL), scoring(None):
        raise OSError(28, "No space left")
    with pytest.raises(KeyError), scoring("mine"):  # a mistake of ours stays one
        raise KeyError("x")


def demo(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sociolect.harness.cli", "demo", *arguments]
    return subprocess.run(
        command,
        cwd=cwd,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
def test_demonstration_with_a_comma_in_the_path(folder):
    done = demo("--model", f"./{folder.name}", "--pairs", "2", cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    assert "detectable" in done.stdout


@pytest.mark.slow
def test_weights_that_only_lm_eval_finds_wrong(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "hidden_size": 32}))
    before = sorted(folder.parent.iterdir())
    done = demo("--model", str(folder), "--pairs", "2", cwd=folder.parent)
    assert done.returncode == 2, done.stderr
    assert "could not be scored" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(folder.parent.iterdir()) == before
