import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.dialect import features
from sociolect.generators.dialect.features import (
    APOSTROPHES,
    classes_of,
    find_features,
    lexicon,
)
from sociolect.generators.dialect.lexicon import CLASSES, Entry, entries
from sociolect.generators.dialect.lexicon_slurs import SLUR_ENTRIES

ENTRIES = [one for listed in lexicon(slurs=True).values() for one in listed]
SPACES = [" ", "  ", "\n", "\t", "\r\n", "\N{NO-BREAK SPACE}"]


def names(text: str, **options: bool) -> list[str]:
    return [one.entry for one in find_features(text, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We was home and they was too.", [("auxiliary", "we was"), ("auxiliary", "they was")]),
        ("I'm finna go", [("auxiliary", "finna")]),
        ("he be working, u be too", [("aspectual", "he be"), ("aspectual", "u be")]),
        ("she done finished", [("preverbal", "she done")]),
        ("ion know", [("auxiliary", "ion")]),
        (
            "it ain't nobody here",
            [("preverbal", "ain't"), ("syntactic", "ain't nobody")],
        ),
        ("can't nobody say", [("syntactic", "can't nobody")]),
        # Neither contains the other, so both are there.
        ("y'all don't never", [("syntactic", "y'all don't"), ("syntactic", "don't never")]),
        # "imma" is the entry that has an apostrophe in the table too.
        ("imma and ima", [("auxiliary", "i'mma"), ("auxiliary", "i'ma")]),
        ("I\u2019ma go, I'ma go", [("auxiliary", "i'ma"), ("auxiliary", "i'ma")]),
        ("'he be late'", [("aspectual", "he be")]),
        ("let it be", [("aspectual", "it be")]),  # a match of strings, as in the paper
    ],
)
def test_features_and_their_classes(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.feature_class, one.entry) for one in find_features(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "a million options",
        "I on top",
        "we. was",
        "we, was",
        "we - was",
        "they wasn't",
        "they wasn’t",
        "stay-at-home",
        "mainstay",
        "the stays",
        "stay's",
        "she_done",
        "she donee",
        "cation-ion",
        "#finna @steady",
        "ion\N{COMBINING ACUTE ACCENT}",
        "\N{COMBINING ACUTE ACCENT}ion",
        "d'ion",
        "nobody ain",
        "we be",
        "I done",
        "",
    ],
)
def test_what_is_no_feature(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize("mark", [*APOSTROPHES, ""])
def test_every_apostrophe_and_none(mark: str) -> None:
    text = f"Y{mark}all ain{mark}t nobody, y{mark}all don{mark}t"
    assert names(text) == ["ain't", "ain't nobody", "y'all don't"]
    assert names(f"i{mark}mma") == ["i'mma"]


def test_apostrophes_are_those_that_are_written() -> None:
    assert set("'’‘ʼ`") <= set(APOSTROPHES)


def test_spans_are_offsets_in_the_text_as_it_was() -> None:
    text = "İ said\N{NO-BREAK SPACE}WE  \n WAS 🙂 gone, AIN’T nobody"
    found = [(text[one.start : one.end], one.entry) for one in find_features(text)]
    assert found == [
        ("WE  \n WAS", "we was"),
        ("AIN’T", "ain't"),
        ("AIN’T nobody", "ain't nobody"),
    ]


def test_only_letters_that_are_written_so() -> None:
    """Case folding would take the dotless i and the long s for i and s."""
    assert names("ıon, iſt, ſtay") == []


def test_slurs_only_when_asked_for() -> None:
    for one in SLUR_ENTRIES:
        text = " ".join(one.tokens)
        assert names(text) == []
        assert names(text, slurs=True) == [one.name]
        assert classes_of(text) == ()
        assert classes_of(text, slurs=True) == (one.feature_class,)


def test_classes_in_their_order() -> None:
    text = "ain't nobody said she be finna go"
    assert classes_of(text) == CLASSES
    assert classes_of("she be finna go") == ("auxiliary", "aspectual")


def test_the_longest_match_of_a_class_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {name: entries(name, "finna") for name in CLASSES} | {
        "aspectual": entries("aspectual", "b", "a", "a b c", "c d"),
        "syntactic": entries("syntactic", "b"),
    }
    features._compiled.cache_clear()
    monkeypatch.setattr(features, "LEXICON", listed)
    try:
        assert names("a b c d, a b") == ["a b c", "b", "c d", "a", "b", "b"]
    finally:
        features._compiled.cache_clear()


@st.composite
def written(draw: st.DrawFn) -> tuple[Entry, str]:
    """An entry in some spelling."""
    entry = draw(st.sampled_from(ENTRIES))
    spelt = draw(st.sampled_from(SPACES)).join(entry.tokens)
    spelt = "".join(
        draw(st.sampled_from([*APOSTROPHES, ""])) if char == "'" else char for char in spelt
    )
    return entry, "".join(draw(st.sampled_from([char, char.upper()])) for char in spelt)


@given(written(), st.text(max_size=20), st.text(max_size=20))
def test_an_entry_is_found_whatever_is_around_it(
    one: tuple[Entry, str], before: str, after: str
) -> None:
    entry, spelt = one
    text = f"{before} . {spelt} . {after}"
    start = len(before) + 3
    assert (entry.feature_class, entry.name, start, start + len(spelt)) in find_features(
        text, slurs=True
    )


@given(written(), st.sampled_from("aZ9_é@#"))
def test_no_entry_within_a_longer_word(one: tuple[Entry, str], char: str) -> None:
    entry, spelt = one
    found = find_features(char + spelt, slurs=True)
    assert entry.name not in [f.entry for f in found if f.feature_class == entry.feature_class]


PIECES = ["y'all", "don't", "never", "he", "ain’t", "nobody", "be", "Been", "was", ",", "-", "ion"]


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.lists(st.sampled_from(" \n"), max_size=3))
def test_as_found_word_by_word(pieces: list[str], gaps: list[str]) -> None:
    """Against a search that goes through the words, and drops what another match contains."""
    gap = "".join(gaps) or " "
    words = [piece.lower().replace("’", "'") for piece in pieces]
    expected = []
    for name, listed in lexicon().items():
        spans = {
            (at, at + len(one.tokens)): one.name
            for one in listed
            for at in range(len(words))
            if tuple(words[at : at + len(one.tokens)]) == one.tokens
        }
        expected += [
            (name, entry, a, b)
            for (a, b), entry in spans.items()
            if not any((x, y) != (a, b) and x <= a and b <= y for x, y in spans)
        ]
    starts = [sum(len(p) + len(gap) for p in pieces[:at]) for at in range(len(pieces))]
    ends = [at + len(piece) for at, piece in zip(starts, pieces, strict=True)]
    found = find_features(gap.join(pieces))
    assert sorted(found) == sorted((n, e, starts[a], ends[b - 1]) for n, e, a, b in expected)
    assert found == sorted(found, key=lambda one: (one.start, one.end))


def test_on_human_written_pairs(sources: Path) -> None:
    """Of the 916 distinct items, how many hold each class; the other side checks the matches."""
    folder = sources / "redial"
    if not folder.is_dir():
        pytest.skip("SOCIOLECT_SOURCES holds no redial/")
    counts: dict[str, Counter[str]] = {"aave": Counter(), "original": Counter()}
    for name in ("algorithm", "comprehensive", "logic"):
        items = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["vanilla"]
        for side, counter in counts.items():
            for item in items[side]:
                text = item if isinstance(item, str) else item["prompt"]
                counter.update(classes_of(text) or ["none"])
    assert counts["aave"] == {
        "auxiliary": 381,
        "aspectual": 68,
        "preverbal": 457,
        "syntactic": 22,
        "none": 205,
    }
    assert counts["original"] == {"preverbal": 18, "syntactic": 1, "none": 898}
