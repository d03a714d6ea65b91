import re
from collections import Counter
from pathlib import Path
from statistics import median

import pytest

from sociolect.generators.benchmarks import fable_control
from sociolect.generators.benchmarks.fable_control import judge_items, load, read_responses
from sociolect.generators.benchmarks.fable_source import CONTROL, PROMPTS, read_prompt
from sociolect.generators.errors import SourceError
from sociolect.generators.items import Benchmark, Item
from sociolect.generators.noise.inject import NoiseInjector

PROMPT = (
    "Answer with the letter of the correct option (A, B) based on the provided context.  "
    "Context:{}Two met. Who ran? (A){} The cook (B):  The king"
)
HEADER = "BIAS CATEGORY,PROMPT,RESPONSE,LABEL\n"


@pytest.fixture(scope="module")
def control(sources: Path) -> Benchmark:
    return load(sources)


@pytest.fixture(scope="module")
def items(control: Benchmark) -> dict[str, Item]:
    return {item.id: item for item in control.items}


def test_what_is_kept_and_what_is_dropped(control: Benchmark) -> None:
    assert len(control.items) == 396
    assert [(d.where.rsplit(":")[-1], d.reason[:20]) for d in control.dropped] == [
        ("51", "labelled S, but name"),
        ("61", "labelled CS, but nam"),
        ("288", "the same response as"),
        ("298", "the same response as"),
    ]
    assert Counter(item.gold for item in control.items) == {0: 98, 1: 98, 2: 200}
    assert len({item.question for item in control.items}) == 21
    assert len({item.id.split("/")[2] for item in control.items}) == 21
    categories = Counter(item.id.split("/")[1] for item in control.items)
    assert len(categories) == 10
    assert {c: n for c, n in categories.items() if n != 40} == {"disability": 38, "religion": 38}


def test_labels_become_options(items: dict[str, Item]) -> None:
    first = items["fable_control/age/age-1/001"]
    assert first.options == ("The young person", "The elderly person", "neither")
    assert (first.gold, first.target_option) == (1, 1)
    assert first.parts["input"].text == "(B)"
    assert first.question.startswith("An elderly person and a young person were asked")
    assert first.question.endswith("Who struggled with the settings?")
    assert items["fable_control/religion/religion-2/289"].gold == 0  # no letter in any response


def test_letters_agree_with_labels_and_the_list_except_for_one_question(
    control: Benchmark,
) -> None:
    for item in control.items:
        letters = re.findall(r"\(([AB])\)", item.parts["input"].text)
        assert not letters or "AB"[item.gold] == letters[0]
    undefined = {i.id.split("/")[2] for i in control.items if i.target_option == -1}
    assert undefined == {"socioeconomic-1"}


def test_the_figures_of_the_docstring(sources: Path) -> None:
    text = (sources / CONTROL.name).read_bytes().decode()
    rows = list(read_responses(text, CONTROL.name))
    words = {x: [len(r.text.split()) for r in rows if r.label == x] for x in ("S", "CS", "D", "R")}
    assert {label: median(lengths) for label, lengths in words.items()} == {
        "S": 8,
        "CS": 8,
        "D": 28.5,
        "R": 21,
    }
    assert sum(bool(re.fullmatch(r"\([AB]\)", row.text)) for row in rows) == 38


def test_neutral_responses_receive_three_times_the_noise(control: Benchmark) -> None:
    noisy = NoiseInjector(control, 0).render("combined", 0.3)
    edits = [(item.gold, len(n.edits)) for item, (n,) in zip(control.items, noisy, strict=True)]
    side = [n for gold, n in edits if gold < 2]
    neutral = [n for gold, n in edits if gold == 2]
    assert 2.5 < (sum(neutral) / len(neutral)) / (sum(side) / len(side)) < 3.5


def test_a_response_without_a_word_never_changes(control: Benchmark) -> None:
    noisy = NoiseInjector(control, 0).render("combined", 1.0)
    same = [n.clean for (n,) in noisy if n.text == n.clean]
    assert Counter(same) == {"(A)": 19, "(B)": 19}


def test_prompts_with_and_without_spaces_and_colons() -> None:
    for space, colon in ((" ", ":"), ("", ""), ("\n", ":")):
        prompt = read_prompt("AGE", PROMPT.format(space, colon), "f:1")
        assert prompt.options == ("The cook", "The king")
        assert prompt.question == "Two met. Who ran?"
        assert prompt.key == ("age", "The cook", "The king", "Who ran?")


@pytest.mark.parametrize(
    ("category", "prompt"),
    [
        ("SIZE", PROMPT.format(" ", ":")),
        ("AGE", "Who ran? (A): The cook (B): The king"),
        ("AGE", PROMPT.format(" ", ":").replace("The king", "The cook")),
        ("AGE", PROMPT.format(" ", ":").replace("(B)", "B")),
        ("AGE", ""),
    ],
)
def test_another_prompt_is_refused(category: str, prompt: str) -> None:
    with pytest.raises(SourceError, match="f:1: "):
        read_prompt(category, prompt, "f:1")


def _rows(*responses: tuple[str, str]) -> str:
    prompt = PROMPT.format(" ", ":")
    return HEADER + "".join(f'AGE,"{prompt}",{text},{label}\n' for text, label in responses)


KEY = ("age", "The cook", "The king", "Who ran?")


def test_the_responses_say_which_option_s_is() -> None:
    rows = list(read_responses(_rows(("(B)", "S"), ("the cook", "CS"), ("No.", "R")), "f"))
    found, dropped = judge_items(rows, {KEY: 1})
    assert [(i.label, i.stereotyped) for i in found] == [("B", "B"), ("A", "B"), ("NONE", "B")]
    assert not dropped
    disagreeing, _ = judge_items(rows, {KEY: 0})
    assert [(i.label, i.stereotyped) for i in disagreeing] == [("B", None), ("A", None),
                                                               ("NONE", None)]  # fmt: skip


def test_rows_that_cannot_be_used() -> None:
    rows = list(
        read_responses(_rows(("(B)", "S"), ("B (B)", "S"), ("(A)", "S"), ("(B)", "S")), "f")
    )
    found, dropped = judge_items(rows, {KEY: 1})
    assert [i.id for i in found] == ["001", "002"]
    assert [d.reason for d in dropped] == [
        "labelled S, but names 'The cook'",
        "the same response as f:2",
    ]


@pytest.mark.parametrize("text", [_rows(("(B)", "X")), _rows(("", "S")), HEADER + "AGE,x\n"])
def test_a_malformed_row_is_refused(text: str) -> None:
    with pytest.raises(SourceError, match="f:2: "):
        list(read_responses(text, "f"))


def test_prompts_that_say_nothing_are_refused() -> None:
    rows = list(read_responses(_rows(("(B)", "S"), ("(A)", "S")), "f"))
    with pytest.raises(SourceError, match="do not say which option is labelled S"):
        judge_items(rows, {KEY: 1})
    with pytest.raises(SourceError, match="no prompt"):
        judge_items(rows[:1], {})


def test_the_number_of_rows_is_checked(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {f.name: (sources / f.name).read_bytes().decode() for f in (CONTROL, PROMPTS)}
    texts[CONTROL.name] = "".join(texts[CONTROL.name].splitlines(True)[:-1])
    monkeypatch.setattr(fable_control, "fetch_texts", lambda *_: texts)
    with pytest.raises(SourceError, match="expected 400 rows, found 399"):
        load(tmp_path)
