"""The list of units that change, and the answers read again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.generators.errors import ResultsError
from sociolect.harness.answers import Votes, read_asked, votes
from sociolect.harness.compare import Comparison, Method, compare
from sociolect.harness.flips import flips, render_flips
from sociolect.harness.result_files import find_runs
from sociolect.harness.results import Run, read_run
from sociolect.tasks.metrics import AnswerRecord

Write = Callable[..., Path]


def read(path: Path) -> Run:
    return read_run(find_runs(path)[0])


def changing(pair: int, member: str, order: int, sample: int) -> int:
    """Pair 2 answers anti wrongly, pair 3 in two of five samples, pair 4 not at all."""
    if pair == 4:
        return -1
    return int(member == "anti" and (pair == 2 or (pair == 3 and sample < 2)))


@pytest.fixture
def result(write_run: Write) -> Comparison:
    clean = read(write_run())
    others = [
        read(write_run(condition="l2-30", answer=changing)),
        read(write_run(condition="l2-10")),
    ]
    return compare(clean, others, Method(metrics=("bias", "acc_anti"), permutations=99))


def test_votes_count_over_orders_and_samples() -> None:
    def record(order: int, *choices: int) -> AnswerRecord:
        return AnswerRecord("a", "a", "", order, True, 0, 1, choices)

    found = votes([record(0, 0, 0, 1), record(1, 0, -1, -1)])["a"]
    assert (dict(found.counts), found.asked, found.margin) == ({0: 3, 1: 1}, 6, 2)
    assert found.majority == -1  # three of six are no majority
    assert votes([record(0, 0, 0, 1)])["a"].majority == 0
    assert (Votes({}, 2).majority, Votes({}, 2).margin) == (-1, 0)


def test_changed_units_with_answers_and_edits(result: Comparison) -> None:
    lines = flips(result)
    named = [(line["condition"], line["metric"], line["unit"]) for line in lines]
    assert named == [
        ("l2-30", metric, f"winobias/type1/{pair:04d}")
        for metric in ("bias", "acc_anti")
        for pair in (2, 3)
    ]
    assert [line["flipped"] for line in lines] == [True, False, True, False]
    assert [line["change"] for line in lines] == pytest.approx([100, 40, -100, -40])
    first = lines[0]
    assert (first["clean"], first["errored"]) == (0, 100)
    pro, anti = first["items"]
    assert (pro["member"], anti["member"]) == ("pro", "anti")
    assert (anti["clean_answers"], anti["errored_answers"], anti["asked"]) == ([10, 0], [0, 10], 10)
    assert anti["edits"][0]["original"] == "the "
    assert anti["input"] == "The carpenter met nurse because he was late."


def test_lines_are_json_and_empty_if_nothing_changed(result: Comparison, write_run: Write) -> None:
    text = render_flips([result])
    assert [json.loads(line)["unit"] for line in text.splitlines()][:1] == ["winobias/type1/0002"]
    same = compare(result.clean, [read(write_run(condition="l2-5"))], Method(permutations=99))
    assert render_flips([same]) == ""


def test_runs_and_rows_stay_together_when_seeds_are_grouped(write_run: Write) -> None:
    clean = read(write_run(folder="c"))
    runs = [
        read(
            write_run(
                folder=f"f{number}",
                condition=condition,
                error_seed=seed,
                answer=lambda p, m, o, k, wrong=number: int(p == wrong and m == "anti"),
            )
        )
        for number, (condition, seed) in enumerate(
            [("l2-10", 0), ("l2-30", 0), ("l2-10", 1), ("l2-30", 1), ("l2-10", 2)]
        )
    ]
    lines = flips(compare(clean, runs, Method(permutations=99)))
    assert {(line["label"], int(line["unit"][-4:])) for line in lines} == {
        ("l2-10", 0),
        ("l2-30", 1),
        ("l2-10 (error seed 1)", 2),
        ("l2-30 (error seed 1)", 3),
        ("l2-10 (error seed 2)", 4),
    }


def test_generations_come_back_in_the_order_of_the_options(write_run: Write) -> None:
    run = read(write_run(form="reason", pairs=2))
    name = run.records[0].id
    first, second = read_asked(run, {name})[name]
    assert (first.doc["order"], second.doc["order"]) == (0, 1)
    assert first.generations == ("Both are named. \\boxed{A}",) * 5
    assert read_asked(read(write_run(form="ll")), {name})[name][0].generations == ()


def test_a_file_that_changed_is_not_read_again(write_run: Write) -> None:
    path = write_run()
    run = read(path)
    path.write_text("\n".join(path.read_text("utf-8").splitlines()[4:]), "utf-8")
    with pytest.raises(ResultsError, match="0000/pro is gone"):
        read_asked(run, {run.records[0].id})
    path.write_text("{", "utf-8")
    with pytest.raises(ResultsError, match="cannot be read again"):
        read_asked(run, {run.records[0].id})
