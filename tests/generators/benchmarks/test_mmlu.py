import csv
import os
import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators import nlp
from sociolect.generators.analysis import counted_tokens, covered
from sociolect.generators.benchmarks import mmlu
from sociolect.generators.benchmarks.mmlu import protected_spans, read_items
from sociolect.generators.errors import SourceError
from sociolect.generators.items import Benchmark, Item

SOURCES = os.environ.get("SOCIOLECT_SOURCES")
real = pytest.mark.skipif(not SOURCES, reason="SOCIOLECT_SOURCES names no folder of source files")


@pytest.fixture(scope="module")
def benchmark_() -> Benchmark:
    assert SOURCES
    return mmlu.load(Path(SOURCES))


@pytest.fixture(scope="module")
def items(benchmark_: Benchmark) -> dict[str, Item]:
    return {item.id.removeprefix("mmlu/"): item for item in benchmark_.items}


def _words(stem: str) -> list[str]:
    return [span.of(stem) for span in protected_spans(stem)]


@pytest.mark.parametrize(
    ("stem", "words"),
    [
        # Prose.
        ("Blood flows from the heart into which of the following structures?", []),
        ("A person and/or I know the cell's fate – a process. A cell acts as a:", []),
        ("By law, My house (e.g., an NFT) is it true/false?", []),
        # Blanks.
        ("_______ locate morality, such as ____.", ["_______", "____"]),
        ("The mass comes from its _ ; and its volume from its _.", ["_", "_"]),
        # Labels of statements.
        (
            "Statement 1 | A ring has a unit. Statement 2| No ring has.",
            ["Statement 1 |", ". Statement 2|"],
        ),
        ("Which hold?\nI. A ring\nII. A group\n(iv) None", ["\nI", "\nII", "\n(iv)"]),
        ("Which of I and II is it, (a) or b)?", ["II", "(a)", "b)"]),
        # Quantities.
        ("A 17-year-old boy lifts 5 km of rope at 3 m/s, $4000. On May 1.",
         ["17-year-old", "5 km", "3 m/s, $4000", "1"]),
        ("It weighs 5 letters in 2 minutes", ["5", "2"]),
        # Formulas: one span, so that nothing can be inserted into it.
        ("If y = x and y < – x + 8, then?", ["y = x", "y < – x + 8"]),
        ("Compute (12)(16) in Z_24.", ["(12)(16)", "Z_24"]),
        ("Let $x_i = \\frac{1}{2}$ be the sum.", ["$x_i = \\frac{1}{2}$"]),
        ("The value of f(x) at a <= x <= b rises", ["f(x)", "a <= x <= b"]),
        ("Call main() or findMax now", ["main()", "findMax"]),
        ("(Dx: x is danger; Fx: x is a fire)", ["(Dx: x", "Fx: x"]),
        # Letters.
        ("State A sued a firm in State B. A firm paid.", ["A", "B"]),
        ("If G is a group, I know G.", ["G", "G"]),
        # Lines of code or logic.
        ("What is valid?\n(G ≡ H) · ~I\n~G / I\nWhy is it so?", ["\n(G ≡ H) · ~I\n~G / I"]),
        ("Look.\nif x > y then z = 1;\nThen what?", ["\nif x > y then z = 1;"]),
    ],
)  # fmt: skip
def test_protected(stem: str, words: list[str]) -> None:
    assert _words(stem) == words


@given(st.text(alphabet=st.sampled_from("aAIxG 1=|_.(:)\n,?é∨$\\"), max_size=60) | st.text())
def test_protected_spans_are_in_order_and_apart(stem: str) -> None:
    spans = protected_spans(stem)
    assert all(a.end < b.start for a, b in pairwise(spans))
    assert all(s.start < s.end <= len(stem) for s in spans)


@given(st.text(alphabet="bcdefghijkl .,?", max_size=60).map(lambda t: re.sub(r"\b\w\b", "", t)))
def test_words_are_not_protected(stem: str) -> None:
    assert not protected_spans(stem)


def test_rows_with_quotes_and_line_breaks() -> None:
    text = '"Why ""so""?\r\nOr\n not? ",a,"b, c", d ,e,C\nNext?,1,2,3,4,A\n'
    first, second = read_items(text, "logic", "x.csv")
    assert first.parts["input"].text == 'Why "so"?\r\nOr\n not?'
    assert (first.options, first.gold) == (("a", "b, c", "d", "e"), 2)
    assert (first.id, second.id) == ("mmlu/logic/0000", "mmlu/logic/0001")
    assert (first.pair_id, first.member, first.question) == (first.id, "", "")
    assert (second.gold, second.target_option) == (0, -1)


@pytest.mark.parametrize(
    "row", ["Why?,a,b,c,d", "Why?,a,b,c,d,E", "Why?,a,b,c,d,AB", " ,a,b,c,d,A", "Why?,,b,c,d,A", ""]
)
def test_malformed_row_names_file_and_line(row: str) -> None:
    with pytest.raises(SourceError, match=r"^x\.csv:3: expected a stem, four options"):
        list(read_items(f'"Two\nlines",a,b,c,d,A\n{row}\n', "logic", "x.csv"))


def test_a_long_row_is_cut_in_the_message() -> None:
    with pytest.raises(SourceError) as refused:
        list(read_items("x" * 100_000 + ",a\n", "logic", "x.csv"))
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\ufeffWhy?,a,b,c,d,A\n", r"^x\.csv:1: begins with a byte order mark"),
        ("Why?,a,b,c,d,A\nWhy\0?,a,b,c,d,A\n", r"^x\.csv:2: a text holds .* U\+0000"),
    ],
)
def test_marks_and_nuls_are_refused(text: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        list(read_items(text, "logic", "x.csv"))


def test_broken_csv_is_refused() -> None:
    with pytest.raises(SourceError, match=r"x\.csv:1: not valid CSV"):
        list(read_items('"Why?" not,a,b,c,d,A\n', "logic", "x.csv"))


@real
def test_size_and_ids(benchmark_: Benchmark) -> None:
    assert SOURCES
    assert len(mmlu.SUBJECTS) == 57
    assert len(benchmark_.items) == len({i.id for i in benchmark_.items}) == 14_042
    assert {i.id.split("/")[1] for i in benchmark_.items} == set(mmlu.SUBJECTS)
    assert {len(i.options) for i in benchmark_.items} == {4}
    assert [f.name for f in mmlu.FILES] == sorted(
        f"mmlu/test/{p.name}" for p in (Path(SOURCES) / "mmlu/test").iterdir()
    )


@real
def test_texts_are_those_of_the_source(items: dict[str, Item]) -> None:
    assert SOURCES
    for subject in ("formal_logic", "high_school_world_history", "nutrition", "econometrics"):
        path = Path(SOURCES) / f"mmlu/test/{subject}_test.csv"
        with path.open(encoding="utf-8", newline="") as handle:
            for number, row in enumerate(csv.reader(handle)):
                item = items[f"{subject}/{number:04}"]
                assert item.parts["input"].text == row[0].strip()
                assert list(item.options) == [o.strip() for o in row[1:5]]
                assert "ABCD"[item.gold] == row[5]


@real
def test_stems_without_a_counted_token_are_few_and_known(benchmark_: Benchmark) -> None:
    none, all_tokens, left = [], 0, 0
    for item in benchmark_.items:
        stem = item.parts["input"]
        doc = nlp.tokenize(stem.text)
        counted = sum(counted_tokens(doc, covered(doc, stem.protected)))
        none += [item.id] if not counted else []
        all_tokens += sum(counted_tokens(doc, [False] * len(doc)))
        left += counted
    assert none == [
        "mmlu/college_mathematics/0094",
        "mmlu/elementary_mathematics/0022",
        "mmlu/elementary_mathematics/0085",
        "mmlu/high_school_chemistry/0020",
        "mmlu/high_school_chemistry/0093",
        "mmlu/high_school_chemistry/0183",
        "mmlu/high_school_mathematics/0204",
    ]
    assert 0.95 < left / all_tokens < 0.97


@real
def test_traps(items: dict[str, Item]) -> None:
    def protected(item_id: str) -> list[str]:
        return _words(items[item_id].parts["input"].text)

    assert protected("formal_logic/0087") == ["\n~X ⊃ Y\nY ⊃ Z\n~Z / ~X"]
    assert protected("abstract_algebra/0088") == ["(12)(16)", "Z_24"]
    assert protected("econometrics/0084") == ["AR(2)", "\nyt = 1.5 yt-1 - 0.5 yt-2 + ut"]
    assert protected("business_ethics/0083") == ["______"]
    assert protected("moral_scenarios/0213") == ["2020? Scenario 1 |", ". Scenario 2 |"]
    assert protected("college_chemistry/0022") == [
        "25°C",
        "PbI2",
        "1.00 L",
        "1.0 mmol",
        "K_sp",
        "25°C",
    ]


def test_instruction_protects_its_format() -> None:
    spans = [s.of(mmlu.INSTRUCTION.text) for s in mmlu.INSTRUCTION.protected]
    assert spans == [rf"\boxed{{{letter}}}" for letter in "ABCD"]


@real
def test_provenance(benchmark_: Benchmark) -> None:
    assert [s.name for s in benchmark_.sources] == [f.name for f in mmlu.FILES]
    assert (benchmark_.licence, benchmark_.axis, benchmark_.dropped) == ("MIT", "", ())


@real
def test_changed_file_is_refused(tmp_path: Path) -> None:
    assert SOURCES
    shutil.copytree(
        Path(SOURCES) / "mmlu/test", tmp_path / "mmlu/test", copy_function=shutil.copyfile
    )
    name = "mmlu/test/virology_test.csv"
    (tmp_path / "mmlu/test").chmod(0o700)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b"\n")
    with pytest.raises(SourceError, match=r"virology_test\.csv"):
        mmlu.load(tmp_path)
