"""Datasets by folder, or by their name on the Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.harness.datasets_at import dataset_at


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []

    def download(repository: str, **options: Any) -> str:
        calls.append({"repository": repository, **options})
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    return calls


def test_a_folder(tmp_path: Path, asked: list[dict[str, Any]]) -> None:
    found = dataset_at(str(tmp_path))
    assert (found.folder, found.is_local, found.name) == (tmp_path, True, str(tmp_path))
    assert asked == []


def test_a_folder_goes_before_the_hub(
    tmp_path: Path, asked: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "org" / "name").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert dataset_at("org/name").is_local
    assert asked == []


@pytest.mark.parametrize(
    ("name", "revision"), [("org/x-variants", None), ("org/x-variants@v1.0.0", "v1.0.0")]
)
def test_a_dataset_of_the_hub(
    tmp_path: Path, asked: list[dict[str, Any]], name: str, revision: str | None
) -> None:
    found = dataset_at(name)
    assert (found.folder, found.is_local) == (tmp_path, False)
    (call,) = asked
    assert (call["repository"], call["revision"]) == ("org/x-variants", revision)
    assert call["repo_type"] == "dataset"
    assert set(call["allow_patterns"]) == {
        *("manifest.json", "README.md", "realism.json", "*/test-*.parquet"),
    }


@pytest.mark.parametrize(
    "name", ["nowhere", "./a/b", "/a/b", "a/b/c", "../b", "a/b@", "", "a b/c", "~no/x"]
)
def test_neither_folder_nor_dataset(name: str, asked: list[dict[str, Any]]) -> None:
    with pytest.raises(InvalidInputError, match="neither a folder nor a dataset"):
        dataset_at(name)
    assert asked == []


def test_a_dataset_that_cannot_be_got(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> str:
        raise LocalEntryNotFoundError("no network\nmore")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fail)
    with pytest.raises(DataError, match=r"org/x.*v2.*no network\)"):
        dataset_at("org/x@v2")
