from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.errors import DataError, InvalidInputError, UnknownNameError
from sociolect.steering.lora.training_set import (
    Example,
    TrainingSet,
    read_training_set,
    write_training_set,
)

CLEAN = tuple(
    Example(f"wg/{i}", order, f"Sentence {i}, order {order}\nAnswer:", f" So \\boxed{{{i}}}")
    for i in range(3)
    for order in (0, 1)
)
ERRORS = tuple(replace(e, prompt=f"Sentense {e.id}", level=20, error_rate=0.25) for e in CLEAN)
MANIFEST = {"form": "reason", "seed": 3}


@pytest.fixture
def written(tmp_path: Path) -> TrainingSet:
    return write_training_set(tmp_path / "data", MANIFEST, CLEAN, ERRORS)


def test_what_is_written_is_read(written: TrainingSet) -> None:
    read = read_training_set(written.folder)
    assert read == written
    assert (read.form, read.manifest["seed"], read.manifest["examples"]) == ("reason", 3, 6)
    assert (read.examples("clean"), read.examples("errors")) == (CLEAN, ERRORS)
    assert {path.name for path in written.folder.iterdir()} == {
        "manifest.json",
        "clean.jsonl",
        "errors.jsonl",
    }


def test_lines_have_the_documented_fields(written: TrainingSet) -> None:
    line = (written.folder / "errors.jsonl").read_text().split("\n")[1]
    assert json.loads(line) == {
        "id": "wg/0",
        "order": 1,
        "level": 20,
        "error_rate": 0.25,
        "prompt": "Sentense wg/0",
        "completion": " So \\boxed{0}",
    }


def test_the_hash_of_the_targets_does_not_see_the_prompts(tmp_path: Path) -> None:
    def made(name: str, clean: tuple[Example, ...]) -> str:
        return write_training_set(tmp_path / name, MANIFEST, clean, clean).targets_sha256

    first = made("one", CLEAN)
    assert made("two", ERRORS) == first
    assert made("three", CLEAN[::-1]) != first
    assert made("four", (*CLEAN[:5], replace(CLEAN[5], completion="x"))) != first


def test_unknown_prompt_sets_are_refused(written: TrainingSet) -> None:
    with pytest.raises(UnknownNameError, match="clean, errors"):
        written.examples("cleen")


def test_a_folder_that_holds_something_is_kept(written: TrainingSet) -> None:
    before = (written.folder / "manifest.json").read_bytes()
    with pytest.raises(InvalidInputError):
        write_training_set(written.folder, MANIFEST, CLEAN[:2], ERRORS[:2])
    assert (written.folder / "manifest.json").read_bytes() == before
    assert [p.name for p in written.folder.parent.iterdir()] == ["data"]


@pytest.mark.parametrize(
    "changed",
    [
        ERRORS[:5],
        ERRORS[::-1],
        (*ERRORS[:5], replace(ERRORS[5], completion="another")),
        (*ERRORS[:5], replace(ERRORS[5], order=0)),
    ],
)
def test_sets_that_do_not_share_targets_are_not_written(
    tmp_path: Path, changed: tuple[Example, ...]
) -> None:
    with pytest.raises(DataError):
        write_training_set(tmp_path / "data", MANIFEST, CLEAN, changed)
    assert list(tmp_path.iterdir()) == []


def forge(folder: Path, name: str, text: bytes) -> None:
    """Put other lines into a file, and their hash into the manifest."""
    (folder / name).write_bytes(text)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][name] = sha256(text).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_a_changed_file_is_seen(written: TrainingSet) -> None:
    path = written.folder / "clean.jsonl"
    path.write_text(path.read_text().replace("Sentence 1", "Sentence 7"))
    with pytest.raises(DataError, match=r"clean\.jsonl was changed"):
        read_training_set(written.folder)


@pytest.mark.parametrize("line", [b"{", b"[]", b'{"id": 1}', b"\xff", b"[" * 100_000])
def test_lines_that_are_no_examples_are_named(written: TrainingSet, line: bytes) -> None:
    text = (written.folder / "errors.jsonl").read_bytes().split(b"\n")
    forge(written.folder, "errors.jsonl", b"\n".join([text[0], line, *text[2:]]))
    with pytest.raises(DataError, match=r"errors\.jsonl:2"):
        read_training_set(written.folder)


def test_fields_of_another_type_are_named(written: TrainingSet) -> None:
    text = (written.folder / "clean.jsonl").read_bytes()
    forge(written.folder, "clean.jsonl", text.replace(b'"order": 0', b'"order": "0"', 1))
    with pytest.raises(DataError, match=r"clean\.jsonl:1: order is '0'"):
        read_training_set(written.folder)


def test_files_that_do_not_belong_together_are_seen(written: TrainingSet) -> None:
    text = (written.folder / "clean.jsonl").read_bytes()
    forge(written.folder, "clean.jsonl", text.replace(b"boxed{2}", b"boxed{9}"))
    with pytest.raises(DataError, match="example 5"):
        read_training_set(written.folder)
    errors = (written.folder / "errors.jsonl").read_bytes()
    forge(written.folder, "errors.jsonl", errors.replace(b"boxed{2}", b"boxed{9}"))
    with pytest.raises(DataError, match="targets"):
        read_training_set(written.folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (None, "no manifest"),
        ("{", "damaged"),
        ("[" * 100_000, "damaged"),
        ("[]", "something else"),
        ('{"benchmark": "winobias"}', "something else"),
        ({"format": 2}, "format 2"),
        ({"form": "ll"}, "form missing or wrong"),
        ({"files": {"clean.jsonl": "0"}}, "files missing or wrong"),
        ({"targets_sha256": None}, "targets_sha256 missing or wrong"),
        ({"licence": 5}, "json is damaged: licence missing or wrong"),
        ({"settings": []}, "json is damaged: settings missing or wrong"),
        ({"settings": {"levels": 5}}, "settings.levels missing or wrong"),
        ({"settings": {"levels": [5, "x"]}}, "settings.levels missing or wrong"),
        ({"settings": {"chat_template": "no"}}, "settings.chat_template missing or wrong"),
        ({"settings": {"model": "M"}}, "settings.model missing or wrong"),
        ({"settings": {"model": {"arguments": "M"}}}, "settings.model.arguments missing or"),
        ({"settings": {"model": {"arguments": {"pretrained": 5}}}}, "pretrained missing or wrong"),
    ],
)
def test_bad_manifests_are_explained(written: TrainingSet, change: object, message: str) -> None:
    path = written.folder / "manifest.json"
    if change is None:
        path.unlink()
    elif isinstance(change, dict):
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    else:
        path.write_text(str(change))
    with pytest.raises(DataError, match=message):
        read_training_set(written.folder)


def test_an_empty_set_is_refused(tmp_path: Path) -> None:
    write_training_set(tmp_path / "data", MANIFEST, (), ())
    with pytest.raises(DataError, match="no examples"):
        read_training_set(tmp_path / "data")


@given(
    prompt=st.text(st.characters(exclude_categories=())),
    completion=st.text(st.characters(exclude_categories=())),
)
def test_any_text_survives(
    tmp_path_factory: pytest.TempPathFactory, prompt: str, completion: str
) -> None:
    folder = tmp_path_factory.mktemp("set") / "data"
    example = Example("é\u2028/1", 0, prompt, completion)
    write_training_set(folder, MANIFEST, [example], [example])
    assert read_training_set(folder).clean == (example,)
