import collections
import json
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.benchmarks import winogrande
from sociolect.generators.benchmarks.coreference import GENDER_WORDS, Occupations
from sociolect.generators.benchmarks.winogrande import (
    Filter,
    Question,
    check_labels,
    protected_spans,
    read_questions,
)
from sociolect.generators.errors import SourceError
from sociolect.generators.items import Benchmark

SOURCES = os.environ.get("SOCIOLECT_SOURCES")
real = pytest.mark.skipif(not SOURCES, reason="SOCIOLECT_SOURCES names no folder of source files")

FILTER = Filter(Occupations(("construction worker", "cook", "CEO"), ("secretary", "clerk")))


@pytest.fixture(scope="module")
def validation() -> Benchmark:
    assert SOURCES
    return winogrande.load(Path(SOURCES))


@pytest.fixture(scope="module")
def train() -> Benchmark:
    assert SOURCES
    return winogrande.load_train(Path(SOURCES))


def _line(**changes: object) -> str:
    record = {
        "qID": "ABC-1",
        "sentence": "The urn broke the vase, so the _ was heavy.",
        "option1": "urn",
        "option2": "vase",
        "answer": "1",
    }
    return json.dumps({**record, **changes})


def _words(sentence: str, *options: str) -> list[str]:
    return [span.of(sentence) for span in protected_spans(sentence, options)]


def test_line_becomes_a_question() -> None:
    first, second = read_questions(_line() + "\n" + _line(qID="ABC-2", answer="2") + "\n", "x")
    assert (first.options, first.gold, second.gold) == (("urn", "vase"), 0, 1)
    assert first.stem == second.stem == "ABC"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "{}",
        _line(answer="3"),
        _line(answer=1),
        _line(qID="ABC-3"),
        _line(qID="ABC"),
        _line(sentence="No blank."),
        _line(sentence="Two _ and _."),
        _line(option2="Urn"),
        _line(option1=" "),
        "[" * 10**5,
        '{"qID": ' + "9" * 5000 + "}",
        _line(qID="A" * 5000 + "-1"),
    ],
)
def test_malformed_line_names_file_and_number(line: str) -> None:
    with pytest.raises(SourceError, match=r"^x\.jsonl:2: expected") as refused:
        read_questions(f"{_line(qID='OTHER-1')}\n{line}\n", "x.jsonl")
    assert len(str(refused.value)) < 450


@pytest.mark.parametrize(
    "changes",
    [{"sentence": "Half \ud800 of _."}, {"option1": "\udfff"}, {"option2": "\ud800"}],
)
def test_half_a_surrogate_pair_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(SourceError, match=r"^x:1: a text holds the character U\+D"):
        read_questions(_line(**changes), "x")


def test_doubled_question_is_refused() -> None:
    with pytest.raises(SourceError, match=r"x:2: qID 'ABC-1' was there before"):
        read_questions(f"{_line()}\n{_line()}\n", "x")


def test_labels_must_agree() -> None:
    questions = read_questions(f"{_line()}\n{_line(qID='ABC-2', answer='2')}\n", "x")
    check_labels(questions, "1\n2\n", "x.lst")
    with pytest.raises(SourceError, match=r"x\.lst:2: label '1' for ABC-2, whose answer is 2"):
        check_labels(questions, "1\n1\n", "x.lst")
    with pytest.raises(SourceError, match=r"x\.lst: expected 2 labels, found 1"):
        check_labels(questions, "1\n", "x.lst")
    with pytest.raises(SourceError) as refused:
        check_labels(questions, "1\n" + "2" * 10**6, "x.lst")
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The urn broke the vase, so the _ was heavy.", ""),
        ("Sarah knew that _ was late.", ""),
        ("The Man broke it, so the _ was heavy.", "gender word: man"),
        ("It broke HIS vase; the _ was old.", "gender word: his"),
        ("Mr. X broke it; _ was sad.", "gender word: mr."),
        ("The human left the shed when there was _ time.", ""),
        ("A cook made it, so _ was full.", "occupation: cook"),
        ("Two Cooks made it, so _ was full.", "occupation: cooks"),
        ("The secretaries left, so _ was alone.", "occupation: secretaries"),
        ("The construction  workers left, so _ was alone.", "occupation: construction workers"),
        ("The ceo left, so _ was alone.", "occupation: ceo"),
        ("The worker liked cooking and cookies; _ was full.", ""),
    ],
)
def test_filter(sentence: str, reason: str) -> None:
    assert FILTER.reason(Question("A-1", sentence, ("urn", "vase"), 0)) == reason


def test_filter_reads_the_options_too() -> None:
    assert FILTER.reason(Question("A-1", "An _.", ("urn", "old Clerk"), 0)) == "occupation: clerk"


@pytest.mark.parametrize(
    ("sentence", "options", "words"),
    [
        ("Erins hat hit Kevin's, so _ left.", ("Erin", "Kevin"), ["Erins", "Kevin's", "_"]),
        ("Warts hurt; the _ were old.", ("warts", "corns"), ["Warts", "_"]),
        ("New brushes and a brush: the _ fit.", ("brush", "tin"), ["brushes", "brush", "_"]),
        ("The red car hit a car; the _ won.", ("red car", "car"), ["red car", "car", "_"]),
        ("The cartoon was about _ carts.", ("car", "art"), ["_"]),
        ("The watch-strap of C++ (_) broke.", ("C++", "watch"), ["watch", "C++", "_"]),
    ],
)
def test_protected(sentence: str, options: tuple[str, ...], words: list[str]) -> None:
    assert _words(sentence, *options) == words


@given(st.text(), st.text(min_size=1), st.text(min_size=1))
def test_protected_spans_are_in_order_and_apart(sentence: str, first: str, second: str) -> None:
    spans = protected_spans(sentence, (first, second))
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(s.end <= len(sentence) for s in spans)


@real
def test_counts(validation: Benchmark, train: Benchmark) -> None:
    for benchmark, kept, lines, gender, jobs in (
        (validation, 871, 1267, 369, 27),
        (train, 6880, 10234, 3070, 284),
    ):
        reasons = collections.Counter(d.reason.split(":")[0] for d in benchmark.dropped)
        assert len(benchmark.items) == kept
        assert reasons == {"gender word": gender, "occupation": jobs}
        assert kept + gender + jobs == lines
        ids = {i.id.split("/")[1] for i in benchmark.items} | {d.where for d in benchmark.dropped}
        assert len(ids) == lines


@real
def test_items(validation: Benchmark) -> None:
    item = validation.items[0]
    assert item.id == "winogrande/3FCO4VKOZ4BJQ6IFC0VAIBK4KTWE7U-2"
    assert (item.options, item.gold, item.target_option) == (("Sarah", "Maria"), 1, -1)
    assert (item.pair_id, item.member, item.axis) == (item.id, "", "")
    assert "_" not in item.question
    text = item.parts["input"].text
    assert [s.of(text) for s in item.parts["input"].protected] == ["Sarah", "Maria", "_"]


@real
def test_nothing_gendered_and_no_occupation_is_left(
    validation: Benchmark, train: Benchmark
) -> None:
    assert SOURCES
    names = [
        name
        for gender in ("male", "female")
        for name in (Path(SOURCES) / f"winobias/{gender}_occupations.txt").read_text().splitlines()
    ]
    for item in (*validation.items, *train.items):
        text = " ".join((item.parts["input"].text, *item.options)).lower()
        assert not set(re.findall(r"[a-z']+", text)) & GENDER_WORDS
        assert not any(re.search(rf"\b{name.lower()}s?\b", text) for name in names)


@real
def test_every_validation_item_mentions_both_options(validation: Benchmark) -> None:
    for item in validation.items:
        text = item.parts["input"].text
        found = [s.of(text).lower() for s in item.parts["input"].protected]
        assert "_" in found
        assert all(any(f.startswith(o.lower()) for f in found) for o in item.options)


@real
def test_six_training_items_lack_a_mention(train: Benchmark) -> None:
    lacking = [
        item.id
        for item in train.items
        for option in item.options
        if not any(
            s.of(item.parts["input"].text).lower().startswith(option.lower())
            for s in item.parts["input"].protected
        )
    ]
    assert len(set(lacking)) == 6


def test_training_items_that_share_a_validation_stem_are_dropped() -> None:
    occupations = Occupations(("cook",), ("clerk",))
    questions = read_questions(f"{_line()}\n{_line(qID='XYZ-1')}\n", "x")
    benchmark = winogrande._filtered("t", questions, occupations, frozenset({"ABC"}), ())
    assert [item.id for item in benchmark.items] == ["t/XYZ-1"]
    assert [(d.where, d.reason) for d in benchmark.dropped] == [
        ("ABC-1", "stem of a validation item")
    ]


@real
def test_no_stem_is_shared(validation: Benchmark, train: Benchmark) -> None:
    assert not any("stem" in d.reason for d in train.dropped)
    stems = [{i.id.split("/")[1].rsplit("-", 1)[0] for i in b.items} for b in (validation, train)]
    assert not stems[0] & stems[1]


@real
def test_excluded_words_keep_the_filter_true(validation: Benchmark) -> None:
    assert validation.excluded_words >= GENDER_WORDS | {"cook", "construction", "secretaries"}


@real
def test_provenance(validation: Benchmark, train: Benchmark) -> None:
    assert [s.name for s in validation.sources] == [f.name for f in winogrande.FILES]
    assert "winobias/male_occupations.txt" in {s.name for s in train.sources}
    assert "winobias/female_occupations.txt" in {s.name for s in train.sources}


def test_instruction_protects_its_format() -> None:
    passage = winogrande.INSTRUCTION
    spans = [s.of(passage.text) for s in passage.protected]
    assert spans == ["(_)", r"\boxed{A}", r"\boxed{B}"]


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"dev\.jsonl"):
        winogrande.load(tmp_path)
