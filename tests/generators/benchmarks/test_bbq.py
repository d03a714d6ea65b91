import csv
import os
import re
import shutil
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from sociolect.generators.benchmarks import bbq
from sociolect.generators.benchmarks.bbq import AXES, CONTEXTS, INSTRUCTION, Axis, Context
from sociolect.generators.benchmarks.coreference import PRONOUNS
from sociolect.generators.benchmarks.entities import head
from sociolect.generators.errors import MissingToolError, SourceError, UnknownNameError
from sociolect.generators.items import Benchmark, Item
from sociolect.generators.learner.speller import knows, neighbours

SOURCES = os.environ.get("SOCIOLECT_SOURCES")
real = pytest.mark.skipif(
    not SOURCES or not (Path(SOURCES) / "bbq").is_dir(),
    reason="SOCIOLECT_SOURCES names no folder with bbq/",
)
EVERY = [(axis, context) for axis in AXES for context in CONTEXTS]
every_dataset = pytest.mark.parametrize(("axis", "context"), EVERY)

ITEMS = {"gender": 2828, "race": 3440, "religion": 600}

REWORDED = {"bbq_race": 300, "bbq_race_disambig": 100, "bbq_religion": 260}
REWORDED["bbq_religion_disambig"] = 180
"""Contexts that call a person of an answer (*the Muslim one*) otherwise (*a Muslim person*)."""


@cache
def _load(axis: Axis, context: Context) -> Benchmark:
    assert SOURCES
    return bbq.load(axis, context, Path(SOURCES))


@cache
def _items(axis: Axis, context: Context) -> dict[str, Item]:
    return {item.id.split("/")[-1]: item for item in _load(axis, context).items}


def _text(item: Item) -> str:
    return item.parts["input"].text


def _protected(item: Item) -> list[str]:
    return [span.of(_text(item)) for span in item.parts["input"].protected]


@real
@every_dataset
def test_size_names_and_single_members(axis: Axis, context: Context) -> None:
    benchmark = _load(axis, context)
    name = f"bbq_{axis}" if context == "ambig" else f"bbq_{axis}_disambig"
    assert (benchmark.name, benchmark.axis) == (name, axis)
    assert len(benchmark.pairs) == len(benchmark.items) == ITEMS[axis]
    assert len({item.id for item in benchmark.items}) == ITEMS[axis]
    for pair in benchmark.pairs:
        (item,) = pair.members
        assert pair.valid
        assert pair.id == item.id == item.pair_id
        assert re.fullmatch(rf"{name}/q\d\d/\d{{5}}", item.id)
        assert (item.member, item.benchmark, item.axis) == ("", name, axis)


@real
@every_dataset
def test_gold_and_target(axis: Axis, context: Context) -> None:
    items = _load(axis, context).items
    half = ITEMS[axis] // 2
    assert Counter(item.target_option for item in items) == {0: half, 1: half}
    golds = Counter(item.gold for item in items)
    if context == "ambig":
        assert golds == {-1: 2 * half}
    else:
        assert golds == {0: half, 1: half}
        assert sum(item.gold == item.target_option for item in items) == half
    for item in items:
        assert len(item.options) == len(set(item.options)) == 2


@real
def test_rows_without_a_stereotyped_answer_are_dropped_and_listed() -> None:
    lines = {}
    for context in CONTEXTS:
        for dropped in _load("gender", context).dropped:
            file, line = dropped.where.split(":")
            assert file == "bbq/Gender_identity.jsonl"
            assert "no stereotyped answer" in dropped.reason
            lines[int(line)] = context
    first = (285, 301, 305, 321)
    assert lines == {n + i: CONTEXTS[i % 2] for n in first for i in range(4)}
    for axis in ("race", "religion"):
        for context in CONTEXTS:
            assert not _load(axis, context).dropped


@real
@pytest.mark.parametrize(
    ("axis", "context", "example", "options", "gold", "target", "question"),
    [
        ("gender", "ambig", "00000", ("The man", "The woman"), -1, 1, "Who was the secretary?"),
        ("gender", "ambig", "00002", ("The man", "The woman"), -1, 0, "Who was the board chair?"),
        ("gender", "disambig", "00001", ("The man", "The woman"), 0, 1, "Who was the secretary?"),
        (
            "race",
            "disambig",
            "00001",
            ("The Native American man", "The Hispanic man"),
            0,
            1,
            "Who likely committed a crime?",
        ),
    ],
)
def test_items_worked_by_hand(
    axis: Axis,
    context: Context,
    example: str,
    options: tuple[str, ...],
    gold: int,
    target: int,
    question: str,
) -> None:
    item = _items(axis, context)[example]
    assert (item.options, item.gold, item.target_option) == (options, gold, target)
    assert item.question == question


@real
@every_dataset
def test_both_people_are_protected_in_every_context(axis: Axis, context: Context) -> None:
    reworded = 0
    for item in _load(axis, context).items:
        found = [re.sub(r"['’]s?$", "", p) for p in _protected(item)]
        heads = [head(option) for option in item.options]
        reworded += not set(heads) <= set(found)
        for phrase in heads:
            # The group is protected even where the noun is not that of the answer.
            group = phrase if phrase in found else phrase.rsplit(" ", 1)[0]
            group = group.removesuffix(" product")
            assert any(re.search(rf"(?<!\w){group}(?!\w)", f) for f in found), item.id
    assert reworded == REWORDED.get(_load(axis, context).name, 0)


@real
@every_dataset
def test_protected_spans_cut_no_word_and_do_not_overlap(axis: Axis, context: Context) -> None:
    for item in _load(axis, context).items:
        text, at = _text(item), -1
        for span in item.parts["input"].protected:
            assert at < span.start < span.end <= len(text)
            at = span.end
            assert not re.search(r"\w\Z", text[: span.start])
            assert not re.match(r"\w", text[span.end :])
            assert not re.match(r"(the|an?)\s", span.of(text), re.IGNORECASE)


@real
def test_pronouns_are_protected_on_the_gender_axis_alone() -> None:
    for axis, context in EVERY:
        for item in _load(axis, context).items:
            pronouns = [w for w in re.findall(r"\w+", _text(item)) if w.lower() in PRONOUNS]
            kept = [p for p in _protected(item) if p.lower() in PRONOUNS]
            assert kept == (pronouns if axis == "gender" else [])


@real
@pytest.mark.parametrize(
    ("axis", "context", "example", "found"),
    [
        ("gender", "disambig", "00001", ["man", "woman", "woman", "man"]),
        (
            "race",
            "disambig",
            "00001",
            ["Hispanic man", "Native American man"] * 2,
        ),
    ],
)
def test_what_is_protected(axis: Axis, context: Context, example: str, found: list[str]) -> None:
    item = _items(axis, context)[example]
    assert sorted(_protected(item)) == sorted(found)


@real
def test_nothing_of_a_pattern_is_lost() -> None:
    gender = Counter(p for i in _load("gender", "disambig").items for p in _protected(i))
    assert {"trans", "women's", "transgendered person", "Williams's", "she", "girl"} <= set(gender)
    race = Counter(p for i in _load("race", "disambig").items for p in _protected(i))
    assert {"Latina woman", "Tala al-Fasi", "African man", "African American man"} <= set(race)
    assert {"Mosley's", "Latoya Mosley's"} & set(race)
    assert {"Native American girl", "African employee"} <= set(race)
    religion = Counter(p for i in _load("religion", "ambig").items for p in _protected(i))
    assert {
        "Muslim",
        "Muslim person",
        "Sikh men",
        "Mormon people",
        "Jewish man",
        "Christian students",
    } <= set(religion)


@real
@pytest.mark.parametrize("axis", AXES)
def test_excluded_words(axis: Axis) -> None:
    words = _load(axis, "ambig").excluded_words
    assert {"he", "herself", "man", "mother", "mr."} <= words
    assert not {"the", "will", "grace", "mark", "banks", "person", "student", "one", ""} & words
    expected = {
        "gender": {"trans", "cisgender", "women", "dorothy"},
        "race": {"black", "african", "american", "jewish", "latina", "shanice", "schneider"},
        "religion": {"muslim", "atheists", "jewish", "jews", "orthodox"},
    }
    for other, some in expected.items():
        assert (some <= words) == (other == axis)
    assert all(w == w.strip().lower() for w in words)
    assert words == _load(axis, "disambig").excluded_words


@real
def test_names_that_are_everyday_words_are_not_excluded() -> None:
    try:
        knows("word")
    except MissingToolError as error:
        pytest.skip(str(error))
    assert SOURCES
    with (Path(SOURCES) / "bbq" / "vocabulary_proper_names.csv").open(newline="") as file:
        names = {row["Name"].lower() for row in csv.DictReader(file)}
    # Aspell offers lower-case words of its dictionary for a word with a doubled last letter.
    offered = {n for n in names if n.isalpha() and n in neighbours(n + n[-1])}
    rare = {"jenny", "john", "maria", "peter", "timothy", "yang"}
    excluded = {w for axis in AXES for w in _load(axis, "ambig").excluded_words}
    assert len(offered) == 18
    assert rare <= offered
    assert names - excluded == offered - rare


def test_instruction() -> None:
    literals = [span.of(INSTRUCTION.text) for span in INSTRUCTION.protected]
    assert literals == [r"\boxed{A}", r"\boxed{B}"]
    assert "{" not in re.sub(r"\\boxed\{[AB]\}", "", INSTRUCTION.text)


@real
@pytest.mark.parametrize("axis", AXES)
def test_provenance(axis: Axis) -> None:
    benchmark = _load(axis, "ambig")
    assert benchmark.licence == "CC-BY-4.0"
    names = [source.name for source in benchmark.sources]
    category = bbq.CATEGORIES[axis]
    assert names[:3] == [
        f"bbq/{category}.jsonl",
        f"bbq/new_templates - {category}.csv",
        "bbq/vocabulary.csv",
    ]
    assert names[3:] == ([] if axis == "religion" else ["bbq/vocabulary_proper_names.csv"])
    root = "https://raw.githubusercontent.com/nyu-mll/BBQ/bea11bd97d79217245b5871acd247b9d6eb24598"
    assert benchmark.sources[0].url == f"{root}/data/{category}.jsonl"
    assert benchmark.sources[1].url == f"{root}/templates/new_templates%20-%20{category}.csv"
    assert benchmark.sources[2].url == f"{root}/templates/vocabulary.csv"


@real
def test_loading_twice_gives_the_same() -> None:
    assert SOURCES
    assert bbq.load("religion", "ambig", Path(SOURCES)) == _load("religion", "ambig")


@real
def test_changed_file_is_refused(tmp_path: Path) -> None:
    assert SOURCES
    (tmp_path / "bbq").mkdir()
    for file in bbq.files("religion"):
        shutil.copyfile(Path(SOURCES) / file.name, tmp_path / file.name)
    with (tmp_path / "bbq" / "Religion.jsonl").open("ab") as file:
        file.write(b"\n")
    with pytest.raises(SourceError, match=r"bbq/Religion\.jsonl .*not the pinned version"):
        bbq.load("religion", "ambig", tmp_path)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"bbq/Gender_identity\.jsonl"):
        bbq.load("gender", "ambig", tmp_path)


def test_unknown_axis_and_context(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown axis 'age'"):
        bbq.load("age", "ambig", tmp_path)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown context 'clear'"):
        bbq.load("gender", "clear", tmp_path)  # type: ignore[arg-type]
