"""A few pairs of ours, built into a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.dialect.folder import write_folder
from sociolect.generators.dialect.manifest import assemble
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.tasks.dialect import documents

WORDS = ("rain", "snow", "wind", "fog", "hail", "sun")


def make_pair(number: int, **columns: Any) -> DialectPair:
    word = WORDS[number]
    texts = {
        "aae": f"We was finna leave in the {word} but it ain't stop none",
        "sae": f"We were about to leave in the {word} but it did not stop at all",
        "aae_back": f"We was about to leave in the {word} but it ain't stop none",
        "naturalness": (1.0, 0.4, None)[number % 3],
    }
    return DialectPair(f"p{number}", **{**texts, **columns})


def segmented(pair: DialectPair, reason: str = "") -> Segmented:
    if reason:
        return Segmented(pair, None, reason)
    return Segmented(pair, Boundaries(pair.aae.index(" but"), pair.sae.index(" but")))


@pytest.fixture(autouse=True)
def _no_pairs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("SOCIOLECT_AAE", raising=False)
    documents.clear_memo()
    yield
    documents.clear_memo()


@pytest.fixture
def pair() -> Callable[..., DialectPair]:
    return make_pair


@pytest.fixture
def segment() -> Callable[..., Segmented]:
    return segmented


@pytest.fixture
def pairs_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Build pairs and make them those of the tasks."""

    def make(pairs: Iterable[Segmented], name: str = "pairs", variable: str = "SOCIOLECT_AAE"):
        folder = tmp_path / name
        write_folder(assemble(pairs, name="made up"), folder)
        monkeypatch.setenv(variable, str(folder))
        return folder

    return make


@pytest.fixture
def three(pairs_at: Callable[..., Path]) -> Path:
    """Three pairs; the second has no back-translation."""
    pairs = (make_pair(0), make_pair(1, aae_back="", naturalness=None), make_pair(2))
    return pairs_at(segmented(one) for one in pairs)
