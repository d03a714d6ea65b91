import collections
import json
import os
import re
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.benchmarks.coreference import GENDER_WORDS, PRONOUNS
from sociolect.generators.benchmarks.occupations_mini import DATA_FILE, OCCUPATIONS, read_pairs
from sociolect.generators.errors import SourceError
from sociolect.generators.items import Benchmark, Item

SOURCES = os.environ.get("SOCIOLECT_SOURCES")
MAX_OVERLAP = 0.4
"""Bound on the words (pronouns aside) that a sentence shares with any sentence of WinoBias."""


@pytest.fixture(scope="module")
def mini() -> Benchmark:
    return load_benchmark("occupations_mini")


def _text(item: Item) -> str:
    return item.parts["input"].text


def _words(item: Item) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", _text(item).lower())) - set(PRONOUNS)


def _pro(mini: Benchmark) -> list[Item]:
    return [pair.members[0] for pair in mini.pairs]


def test_needs_no_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mini: Benchmark) -> None:
    monkeypatch.delenv("SOCIOLECT_SOURCES", raising=False)
    assert load_benchmark("occupations_mini") == mini
    assert load_benchmark("occupations_mini", tmp_path / "nowhere") == mini


def test_size_and_names(mini: Benchmark) -> None:
    ids = [f"occupations_mini/type{kind}/{n:04}" for kind in (1, 2) for n in range(1, 33)]
    assert [pair.id for pair in mini.pairs] == ids
    assert [[m.member for m in pair.members] for pair in mini.pairs] == [["pro", "anti"]] * 64
    assert {(i.benchmark, i.axis) for i in mini.items} == {("occupations_mini", "gender")}
    assert mini.licence == "Apache-2.0"
    assert [s.name for s in mini.sources] == ["occupations_mini.jsonl"]


def test_all_pairs_are_valid(mini: Benchmark) -> None:
    assert [pair.note for pair in mini.pairs if not pair.valid] == []
    assert len({_text(item) for item in mini.items}) == 128


def test_pro_has_the_stereotyped_occupation(mini: Benchmark) -> None:
    for item in mini.items:
        assert (item.gold == item.target_option) == (item.member == "pro")


def test_balance_in_each_type(mini: Benchmark) -> None:
    cells = collections.Counter(
        (
            item.id.split("/")[1],
            "referent first" if item.gold == 0 else "referent second",
            OCCUPATIONS.gender(item.options[item.gold]),
        )
        for item in _pro(mini)
    )
    assert len(cells) == 8
    assert set(cells.values()) == {8}


def test_every_occupation_is_used_equally_often(mini: Benchmark) -> None:
    used = collections.Counter(name for item in _pro(mini) for name in item.options)
    assert set(used) == {*OCCUPATIONS.male, *OCCUPATIONS.female}
    assert set(used.values()) == {4}


def test_twins_share_their_occupations_and_swap_the_referent(mini: Benchmark) -> None:
    for first, second in list(pairwise(_pro(mini)))[::2]:
        assert set(first.options) == set(second.options)
        assert first.options[first.gold] != second.options[second.gold]
        if "type1" in first.id:  # The same opening as well; only what happens differs.
            opening = _text(first).split(" because ")[0]
            assert _text(second).startswith(opening + " because ")


def test_sentences_are_plain_and_of_moderate_length(mini: Benchmark) -> None:
    for item in mini.items:
        text = _text(item)
        assert 12 <= len(text.split()) <= 20
        assert re.fullmatch(r"[A-Z][A-Za-z, ]+\.", text)
        assert "  " not in text


def test_no_other_gender_word_hints_at_the_referent(mini: Benchmark) -> None:
    for item in mini.items:
        gendered = GENDER_WORDS & set(re.findall(r"\w+", _text(item).lower()))
        assert len(gendered) == 1
        assert gendered <= set(PRONOUNS)


def test_excluded_words(mini: Benchmark) -> None:
    assert {"he", "woman", "florists", "truck", "midwife"} <= mini.excluded_words
    assert "because" not in mini.excluded_words


@pytest.mark.skipif(not SOURCES, reason="SOCIOLECT_SOURCES names no folder of source files")
def test_sentences_are_not_those_of_winobias(mini: Benchmark) -> None:
    theirs = [_words(item) for item in load_benchmark("winobias").items]
    for item in _pro(mini):
        ours = _words(item)
        assert max(len(ours & words) / len(ours | words) for words in theirs) < MAX_OVERLAP


@pytest.mark.skipif(not SOURCES, reason="SOCIOLECT_SOURCES names no folder of source files")
def test_occupations_are_not_those_of_winobias() -> None:
    theirs = {name for item in load_benchmark("winobias").items for name in item.options}
    assert len(theirs) == 40
    assert not theirs & {*OCCUPATIONS.male, *OCCUPATIONS.female}


def test_file_has_one_record_a_line() -> None:
    text = files("sociolect.generators.benchmarks").joinpath(DATA_FILE).read_text("utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    assert {tuple(record) for record in records} == {("type", "frame", "twin", "sentence")}
    assert len(records) == 64


GOOD = (
    '{"type": 1, "frame": 1, "twin": "a", "sentence": "[The pilot] saw the florist as [{he}] sat."}'
)


def test_line_becomes_a_pair() -> None:
    (pair,) = read_pairs(GOOD, "x.jsonl")
    assert [_text(m) for m in pair.members] == [
        "The pilot saw the florist as he sat.",
        "The pilot saw the florist as she sat.",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        GOOD.replace("twin", "win"),
        GOOD.replace("{he}", "{they}"),
        GOOD.replace("[{he}]", "{he}"),
        GOOD.replace("[The pilot]", "[The person]"),
        GOOD.replace("florist", "person"),
    ],
)
def test_malformed_line_is_named(line: str) -> None:
    with pytest.raises(SourceError, match=r"^x\.jsonl:2: "):
        list(read_pairs(f"{GOOD}\n{line}\n", "x.jsonl"))
