"""Table 3: pairs on which a model falls back on the stereotype."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.generators.errors import ResultsError, UnknownNameError
from sociolect.harness.analyses.example_report import examples_json, excerpt, render_examples
from sociolect.harness.analyses.examples import Wanted, find_examples
from sociolect.harness.compare import Method

from .conftest import read_models, settings

METHOD = Method()


def errored(pair: int, member: str, order: int, sample: int) -> int:
    """Anti is wrong: pair 1 always, 2 in 4 of 5, 3 in half, 4 mostly unanswered; 5 also pro."""
    if pair == 5:
        return 1
    if member == "pro":
        return 0
    if pair == 4:
        return 1 if (order, sample) == (0, 0) else -1
    wrong = {1: 5, 2: 4}.get(pair, 0)
    if pair == 3:
        wrong = 5 * order
    return int(sample < wrong)


@pytest.fixture
def runs(write_run: Callable[..., Path]) -> Path:
    def clean(pair: int, member: str, order: int, sample: int) -> int:
        return int(pair == 6 and member == "anti")

    write_run(form="reason", answer=clean, invalid=(7,), **settings("org/a"))
    path = write_run(
        form="reason", condition="l2-30", answer=errored, invalid=(7,), **settings("org/a")
    )
    return path.parent.parent


def names(examples: list) -> list[int]:  # type: ignore[type-arg]
    return [int(example.pair_id[-4:]) for example in examples]


def test_majorities_decide_and_the_clearest_come_first(runs: Path) -> None:
    found, notes = find_examples(read_models(runs), Wanted(), METHOD)
    assert names(found) == [1, 2]
    assert notes == ["org/a: 2 found, 2 shown"]
    first, second = found
    assert (first.margin, second.margin) == (10, 6)
    assert (second.errored_anti.count, second.errored_anti.asked) == (8, 10)
    assert second.errored_anti.answer == "the nurse"
    assert [v.right for v in (second.clean_anti, second.errored_pro, second.errored_anti)] == [
        True,
        True,
        False,
    ]
    assert second.errored_anti.generation == "Both are named. \\boxed{B}"
    assert second.clean_anti.edits == ()
    assert second.errored_pro.edits == second.errored_anti.edits != ()


def test_limits(runs: Path) -> None:
    sections = read_models(runs)
    found, notes = find_examples(sections, Wanted(limit=1), METHOD)
    assert (names(found), notes) == ([1], ["org/a: 2 found, 1 shown"])
    assert names(find_examples(sections, Wanted(min_margin=7), METHOD)[0]) == [1]
    assert find_examples(sections, Wanted(conditions=("l2-5",)), METHOD)[0] == []
    with pytest.raises(UnknownNameError, match="org/a"):
        find_examples(sections, Wanted(model="org/x"), METHOD)


def test_the_model_that_is_named(runs: Path, write_run: Callable[..., Path]) -> None:
    for condition in ("clean", "l2-30"):
        write_run(form="reason", condition=condition, **settings("org/b"))
    sections = read_models(runs)
    assert find_examples(sections, Wanted(model="org/b"), METHOD)[1] == ["org/b: 0 found, 0 shown"]
    assert {e.model for e in find_examples(sections, Wanted(), METHOD)[0]} == {"org/a"}


def test_pairs_that_are_not_valid_count_only_if_asked_for(write_run: Callable[..., Path]) -> None:
    write_run(invalid=(1,))
    path = write_run(condition="l2-30", answer=errored, invalid=(1,))
    sections = read_models(path.parent)
    assert names(find_examples(sections, Wanted(), METHOD)[0]) == [2]
    kept = Method(include_invalid=True)
    assert names(find_examples(sections, Wanted(), kept)[0]) == [1, 2]


def test_text_shows_edits_counts_and_an_excerpt(runs: Path) -> None:
    found, _ = find_examples(read_models(runs), Wanted(limit=1), METHOD)
    text = render_examples(found)
    lines = text.splitlines()
    assert lines[0] == "org/a · l2-30 · reason · winobias/type1/0001"
    assert "  clean, anti   The carpenter met the nurse because he was late." in lines
    assert text.count("met [-the-] nurse") == 2
    assert "→ the nurse (wrong, 10 of 10)" in text
    assert "“Both are named. \\boxed{B}”" in text
    assert "\x1b" not in text
    assert "\x1b[" in render_examples(found, colour=True)


def test_what_a_model_wrote_never_steers_a_terminal(write_run: Callable[..., Path]) -> None:
    nasty = "\x1b[31m[bold]red[/]\x07\u202e\n\n\\boxed{%s}"

    def answer(pair: int, member: str, order: int, sample: int) -> str:
        right = "AB"[order]
        return nasty % ("BA"[order] if member == "anti" else right)

    write_run(form="reason", pairs=1)
    path = write_run(form="reason", pairs=1, condition="l2-30", answer=answer)
    found, notes = find_examples(read_models(path.parent), Wanted(), METHOD)
    for text in (render_examples(found), examples_json(found, notes)):
        assert not [c for c in text if not c.isprintable() and c != "\n"]
    assert "[bold]red[/]" in render_examples(found)
    example = json.loads(examples_json(found, notes))["examples"][0]
    assert example["errored_anti"]["generation"] == nasty % "B"
    assert example["errored_anti"]["perturbed"] == "The carpenter met nurse because he was late."


def test_a_long_generation_is_shown_by_its_end() -> None:
    assert excerpt("a  b\nc", 10) == "a b c"
    assert excerpt("x" * 20 + "end", 5) == "…xxend"


def test_the_cloze_has_no_generation(write_run: Callable[..., Path]) -> None:
    write_run(form="ll")
    path = write_run(form="ll", condition="l2-30", answer=lambda p, m, o, k: int(m == "anti"))
    found, _ = find_examples(read_models(path.parent), Wanted(limit=1), METHOD)
    assert (found[0].errored_anti.count, found[0].errored_anti.asked) == (1, 1)
    assert found[0].errored_anti.generation == ""
    assert "“" not in render_examples(found)


def test_only_benchmarks_with_pairs(write_run: Callable[..., Path]) -> None:
    for condition in ("clean", "l2-30"):
        path = write_run(benchmark="mmlu", condition=condition)
    with pytest.raises(ResultsError, match="pro and anti"):
        find_examples(read_models(path.parent), Wanted(), METHOD)
