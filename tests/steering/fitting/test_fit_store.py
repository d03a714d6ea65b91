"""Directions that are kept while a fit is not finished."""

from __future__ import annotations

import errno
from dataclasses import fields
from pathlib import Path

import pytest
import torch

from sociolect.generators.errors import ResultsError
from sociolect.steering.directions import Contrast, Directions
from sociolect.steering.fitting.fit_store import kept_directions

CONTRASTS = (Contrast("a", (1, 2), (3,)), Contrast("b", (4,), (5, 6)))
DECIDES = {"model": "m", "seed": 0}


class Finder:
    """Finds directions, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> Directions:
        self.times += 1
        unit = torch.eye(3)[:2]
        one = torch.tensor([1.5, 2.5])
        stability = torch.tensor([float("nan"), 0.5])
        return Directions(unit, one, one + 1, stability, -unit, 2, ("c",))


@pytest.fixture
def find() -> Finder:
    return Finder()


def test_what_is_kept_is_what_was_found(tmp_path: Path, find: Finder) -> None:
    first = kept_directions(tmp_path / "store", CONTRASTS, DECIDES, find)
    again = kept_directions(tmp_path / "store", CONTRASTS, DECIDES, find)
    assert find.times == 1
    for field in fields(Directions):
        before, after = getattr(first, field.name), getattr(again, field.name)
        if isinstance(before, torch.Tensor):
            assert torch.equal(before.nan_to_num(7), after.nan_to_num(7)), field.name
        else:
            assert before == after
    assert len(list((tmp_path / "store").iterdir())) == 1


def test_another_model_seed_or_text_is_another_direction(tmp_path: Path, find: Finder) -> None:
    kept_directions(tmp_path, CONTRASTS, DECIDES, find)
    kept_directions(tmp_path, CONTRASTS, {**DECIDES, "model": "n"}, find)
    kept_directions(tmp_path, CONTRASTS, {**DECIDES, "seed": 1}, find)
    kept_directions(tmp_path, (CONTRASTS[0], Contrast("b", (4,), (5, 7))), DECIDES, find)
    assert find.times == 4


@pytest.mark.parametrize("content", [b"", b"{}", b"\x10\x00\x00\x00\x00\x00\x00\x00{}"])
def test_a_damaged_file_is_found_again(
    content: bytes, tmp_path: Path, find: Finder, caplog: pytest.LogCaptureFixture
) -> None:
    kept_directions(tmp_path, CONTRASTS, DECIDES, find)
    next(tmp_path.iterdir()).write_bytes(content)
    kept_directions(tmp_path, CONTRASTS, DECIDES, find)
    assert find.times == 2
    assert "is damaged" in caplog.text
    kept_directions(tmp_path, CONTRASTS, DECIDES, find)
    assert find.times == 2


def test_a_place_that_cannot_be_written(tmp_path: Path, find: Finder) -> None:
    (tmp_path / "store").write_text("a file")
    with pytest.raises(ResultsError, match=r"cannot be written .File exists.; name another"):
        kept_directions(tmp_path / "store", CONTRASTS, DECIDES, find)


def test_a_full_disk(tmp_path: Path, find: Finder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ResultsError, match="make room, or name another folder"):
        kept_directions(tmp_path, CONTRASTS, DECIDES, find)


def test_without_a_folder_nothing_is_kept(find: Finder) -> None:
    kept_directions(None, CONTRASTS, DECIDES, find)
    kept_directions(None, CONTRASTS, DECIDES, find)
    assert find.times == 2
