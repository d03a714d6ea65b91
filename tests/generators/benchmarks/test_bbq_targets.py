import csv
import json
import os
from pathlib import Path

import pytest

from sociolect.generators.benchmarks.bbq import CATEGORIES, Axis
from sociolect.generators.benchmarks.bbq_rows import Answer, BBQRow, Polarity, read_rows
from sociolect.generators.benchmarks.bbq_targets import (
    canonical,
    read_stereotyped_groups,
    stereotyped_answer,
    target_of,
)
from sociolect.generators.errors import SourceError

SOURCES = os.environ.get("SOCIOLECT_SOURCES")
real = pytest.mark.skipif(
    not SOURCES or not (Path(SOURCES) / "bbq").is_dir(),
    reason="SOCIOLECT_SOURCES names no folder with bbq/",
)


@pytest.mark.parametrize(
    ("group", "form"),
    [
        ("M", "m"),
        ("boy", "m"),
        ("woman", "f"),
        ("F", "f"),
        ("trans", "trans"),
        ("trans_F", "trans"),
        ("Transgender women", "trans"),
        ("transgender men", "trans"),
        ("nonTrans", "nontrans"),
        ("nonTrans_M", "nontrans"),
        ("F-Black", "black"),
        ("M-Latino", "latino"),
        ("African American", "african american"),
        ("Muslim", "muslim"),
        ("Mormon", "mormon"),
    ],
)
def test_one_form_of_a_group(group: str, form: str) -> None:
    assert canonical(group) == form


@pytest.mark.parametrize(
    ("tags", "groups", "polarity", "expected"),
    [
        # "Who was the secretary?" suggests the woman, "Who was the board chair?" the man.
        (("man", "woman"), {"f"}, "neg", 1),
        (("man", "woman"), {"f"}, "nonneg", 0),
        (("M", "F"), {"m"}, "neg", 0),
        (("nonTrans_F", "trans_M"), {"trans"}, "neg", 1),
        (("F-Arab", "F-Black"), {"black", "african american"}, "neg", 1),
        (("F-Arab", "F-Black"), {"black", "african american"}, "nonneg", 0),
        (("African", "African American"), {"black", "african american"}, "neg", 1),
        (("African American", "African"), {"black", "african american"}, "nonneg", 1),
        # Both inside, both outside.
        (("woman", "girl"), {"f"}, "neg", None),
        (("man", "boy"), {"f"}, "nonneg", None),
    ],
)
def test_stereotyped_answer(
    tags: tuple[str, str], groups: set[str], polarity: Polarity, expected: int | None
) -> None:
    assert stereotyped_answer(tags, frozenset(groups), polarity) == expected


HEADER = "Q_id,Known_stereotyped_groups,Notes\n"


def test_versions_of_a_template_are_read_together() -> None:
    text = HEADER + '1,"[""F""]",a\n12,"[""transgender women""]",b\n12,"[""transgender men""]",c\n'
    assert read_stereotyped_groups(text, "t.csv") == {1: {"f"}, 12: {"trans"}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Q_id,Notes\n1,a\n", r"t\.csv:1: the header lacks .*Known_stereotyped_groups"),
        ("", r"t\.csv:1: the header lacks the column 'Q_id'"),
        (HEADER + 'x,"[""F""]",a\n', r"t\.csv:2: Q_id is 'x'"),
        (HEADER + "1,F,a\n", r"t\.csv:2: Known_stereotyped_groups is 'F', expected a list"),
        (HEADER + "1,[],a\n", r"t\.csv:2: Known_stereotyped_groups is '\[\]'"),
        (HEADER + "1,[1],a\n", r"t\.csv:2: Known_stereotyped_groups is '\[1\]'"),
        (HEADER + "1\n", r"t\.csv:2: not as many fields"),
        (HEADER + '1,"[""F""]",a,b\n', r"t\.csv:2: not as many fields"),
    ],
)
def test_malformed_templates_are_refused(text: str, message: str) -> None:
    with pytest.raises(SourceError, match=f"^{message}"):
        read_stereotyped_groups(text, "t.csv")


def _row(question_index: int = 1, groups: tuple[str, ...] = ("F",)) -> BBQRow:
    people = (Answer("The man", "man", "man"), Answer("The woman", "woman", "woman"))
    return BBQRow("x.jsonl:7", 0, question_index, "neg", "ambig", "", "", people, -1, groups)


def test_target_of_a_row() -> None:
    assert target_of(_row(), {1: frozenset({"f"})}) == 1


def test_row_without_template_is_refused() -> None:
    with pytest.raises(SourceError, match=r"^x\.jsonl:7: no template has the number 2"):
        target_of(_row(2), {1: frozenset({"f"})})


def test_row_that_contradicts_its_template_is_refused() -> None:
    with pytest.raises(SourceError, match=r"^x\.jsonl:7: stereotyped groups are \['m'\] here"):
        target_of(_row(groups=("M",)), {1: frozenset({"f"})})


def _rebuilt(category: str) -> tuple[dict[int, str], int]:
    """Answer index by example id after upstream's script, and the number of repeated rows."""
    assert SOURCES
    found: dict[int, str] = {}
    repeated = 0
    with (Path(SOURCES) / "bbq" / "target_loc_rebuilt.csv").open(newline="") as file:
        for record in csv.DictReader(file):
            if record["category"] == category:
                key = int(record["example_id"])
                repeated += key in found
                assert found.setdefault(key, record["target_loc"]) == record["target_loc"]
    return found, repeated


def _answer_indices(category: str) -> dict[int, int | None]:
    """Our target of every row as an index among the three published answers."""
    assert SOURCES
    folder = Path(SOURCES) / "bbq"
    name = f"{category}.jsonl"
    rows = read_rows((folder / name).read_text(), name, category)
    template = f"new_templates - {category}.csv"
    groups = read_stereotyped_groups((folder / template).read_text(), template)
    indices: dict[int, int | None] = {}
    for row, line in zip(rows, (folder / name).read_text().splitlines(), strict=True):
        target = target_of(row, groups)
        info = json.loads(line)["answer_info"]
        people = [i for i in range(3) if info[f"ans{i}"][1] != "unknown"]
        indices[row.example_id] = None if target is None else people[target]
    return indices


@real
@pytest.mark.parametrize(
    ("axis", "agreeing", "without", "repeated"),
    [("gender", 5656, 16, 64), ("race", 6880, 0, 0), ("religion", 1200, 0, 0)],
)
def test_every_row_agrees_with_the_published_rule(
    axis: Axis, agreeing: int, without: int, repeated: int
) -> None:
    expected, found_repeated = _rebuilt(CATEGORIES[axis])
    ours = _answer_indices(CATEGORIES[axis])
    assert ours.keys() == expected.keys()
    assert {key: "" if index is None else str(index) for key, index in ours.items()} == expected
    assert sum(value != "" for value in expected.values()) == agreeing
    assert sum(value == "" for value in expected.values()) == without
    assert found_repeated == repeated


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("9" * 5000 + ',"[""F""]",a', "Q_id is '999"),
        ("1," + "[" * 100_000 + ",a", r"Known_stereotyped_groups is '\[\[\["),
        ("1,[" + "9" * 5000 + "],a", r"Known_stereotyped_groups is '\[999"),
        ('1,"[""\\ud800""]",a', r"a text holds the character U\+D800"),
    ],
)
def test_odd_templates_are_refused_in_short(record: str, message: str) -> None:
    with pytest.raises(SourceError, match=rf"^t\.csv:2: {message}") as refused:
        read_stereotyped_groups(HEADER + record + "\n", "t.csv")
    assert len(str(refused.value)) < 300
