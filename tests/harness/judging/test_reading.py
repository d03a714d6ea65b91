"""From outputs of lm-eval to verdicts, and what is refused on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sociolect.generators.errors import NotComparableError, ResultsError
from sociolect.harness.judging.reading import read_judges

Write = Callable[..., Path]
OTHER = {"config": {"model_args": {"pretrained": "org/other", "dtype": "float32"}}}


def test_verdicts_by_item(write_verdicts: Write) -> None:
    clean = write_verdicts("clean", "ABN?")
    noisy = write_verdicts("typo-30", "BBA?", change=0.5)
    (judged,), notes = read_judges([clean, noisy])
    assert notes == []
    assert judged.name == "org/tiny · fable · generation"
    # Items 0 and 2 are of the first question, 1 and 3 of the second.
    assert judged.items.ids == (
        "fable/age/age-0/00",
        "fable/age/age-0/01",
        "fable/religion/religion-1/00",
        "fable/religion/religion-1/01",
    )
    assert judged.items.questions.names == ("fable/age/age-0", "fable/religion/religion-1")
    assert judged.items.categories.names == ("age", "religion")
    assert judged.items.pairs.codes.tolist() == [0, 1, 0, 1]  # by the two names
    assert judged.items.target.tolist() == [0, 0, 1, 1]
    assert judged.clean.tolist() == [0, 2, 1, -1]
    (one,) = judged.noisy
    assert one.verdicts.tolist() == [1, 0, 1, -1]
    assert one.changes is not None
    assert np.array_equal(one.changes, [[0.5, 0.25, 1.0]] * 4)


def test_one_folder_holds_clean_and_noisy_runs_in_the_order_of_the_paper(
    write_verdicts: Write,
) -> None:
    for condition in ("clean", "combined-30", "punct-10", "typo-70", "typo-100"):
        folder = write_verdicts(condition, "ABNN").parent
    (judged,), _ = read_judges([folder.parent])
    assert [one.label for one in judged.noisy] == ["typo-70", "typo-100", "punct-10", "combined-30"]


def test_several_judges_and_benchmarks_are_told_apart(write_verdicts: Write) -> None:
    for options in ({}, {"benchmark": "fable_swapped"}, {"folder": "other", **OTHER}):
        for condition in ("clean", "typo-30"):
            folder = write_verdicts(condition, "ABNN", **options).parent.parent
    judges, _ = read_judges([folder])
    assert sorted((one.judge, one.benchmark) for one in judges) == [
        ("org/other", "fable"),
        ("org/tiny", "fable"),
        ("org/tiny", "fable_swapped"),
    ]


def test_repetitions_are_noted(write_verdicts: Write) -> None:
    write_verdicts("clean", "ABNN")
    write_verdicts("typo-30", "AAAA")
    folder = write_verdicts("typo-30", "BBBB", time="2027-03-04T05-06-07.123456").parent
    (judged,), notes = read_judges([folder])
    assert judged.noisy[0].verdicts.tolist() == [1, 1, 1, 1]
    assert any("the newest of 2" in note for note in notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (OTHER, r"model: name 'org/tiny' / 'org/other'"),
        ({"form": "ll"}, r"form: 'reason' / 'll'"),
        ({"benchmark": "fable_swapped"}, r"benchmark: 'fable' / 'fable_swapped'"),
        ({"doc": {"data_version": "2.0.0"}}, r"data: '1.0.0' / '2.0.0'"),
        ({"top": {"system_instruction": "Be fair."}}, r"system_instruction: none / 'Be fair\.'"),
        ({"doc": {"answer_mode": "strict"}}, r"answer_mode: 'lenient' / 'strict'"),
    ],
)
def test_runs_that_differ_in_more_than_the_noise(
    write_verdicts: Write, options: dict[str, object], message: str
) -> None:
    clean = write_verdicts("clean", "ABNN")
    noisy = write_verdicts("typo-30", "ABNN", folder="second", **options)
    if options.get("form") == "ll":
        as_scores(noisy)
    with pytest.raises(NotComparableError, match=message):
        read_judges([clean, noisy])


def as_scores(path: Path) -> None:
    """The answers as log-likelihoods."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        line["filtered_resps"] = [["-1.0", "False"], ["-2.0", "False"], ["-3.0", "False"]]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def test_folders_of_two_judges_name_what_differs(write_verdicts: Write) -> None:
    clean = write_verdicts("clean", "ABNN", folder="first").parent
    noisy = write_verdicts("typo-30", "ABNN", folder="second", **OTHER).parent
    with pytest.raises(NotComparableError, match="'org/tiny' / 'org/other'"):
        read_judges([clean, noisy])


def test_a_difference_can_be_allowed(write_verdicts: Write) -> None:
    clean = write_verdicts("clean", "ABNN")
    noisy = write_verdicts("typo-30", "BBNN", folder="second", **OTHER)
    (judged,), _ = read_judges([clean, noisy], allow=["model"])
    assert judged.notes[0].startswith("Allowed for fable_typo_30: model")


def test_other_items_are_refused_and_the_shared_ones_can_be_asked_for(
    write_verdicts: Write,
) -> None:
    clean = write_verdicts("clean", "ABNN")
    noisy = write_verdicts("typo-30", "BB", effective=4)
    with pytest.raises(NotComparableError, match=r"2 prompts .* only in the first.*interrupted"):
        read_judges([clean, noisy])
    (judged,), _ = read_judges([clean, noisy], allow=["ids"])
    assert judged.items.ids == ("fable/age/age-0/00", "fable/religion/religion-1/00")
    assert "fable_typo_30 is interrupted: 2 of 4 prompts in the samples file." in judged.notes
    assert judged.noisy[0].partial


@pytest.mark.parametrize("allow", [[], ["condition"]])
def test_clean_runs_alone_name_the_tasks_to_run(write_verdicts: Write, allow: list[str]) -> None:
    clean = write_verdicts("clean", "ABNN")
    other = write_verdicts("clean", "ABNN", folder="second")
    folders = [clean.parent, other.parent]
    for paths in ([clean], [clean, clean], [clean, other], [clean.parent], folders):
        with pytest.raises(ResultsError, match=r"no noisy run, only fable_clean.*fable_combined"):
            read_judges(paths, allow=allow)
    scored = write_verdicts("clean", "ABNN", folder="third", benchmark="fable_labels", form="ll")
    as_scores(scored)
    with pytest.raises(ResultsError, match="--tasks fable_labels_typo_30_ll,fable_labels_combined"):
        read_judges([scored], allow=allow)


@pytest.mark.parametrize("allow", [[], ["condition"]])
def test_no_baseline_but_a_clean_one(write_verdicts: Write, allow: list[str]) -> None:
    low, high = write_verdicts("typo-30", "ABNN"), write_verdicts("typo-70", "ABNN")
    with pytest.raises(ResultsError, match=r"fable_typo_30 is no clean run.* fable_clean first"):
        read_judges([low, high], allow=allow)
    with pytest.raises(ResultsError, match="no clean run among"):
        read_judges([low.parent], allow=allow)
    clean = write_verdicts("clean", "ABNN", folder="second")
    with pytest.raises(ResultsError, match="a second clean run"):
        read_judges([clean, low, clean], allow=allow)


def test_benchmarks_without_a_judge(write_run: Write, write_verdicts: Write) -> None:
    write_run()
    folder = write_run(condition="l2-30").parent
    with pytest.raises(ResultsError, match=r"no run of a judge task.*`sociolect compare`"):
        read_judges([folder])
    write_verdicts("clean", "ABNN", time="2027-01-01T00-00-00.000000")
    write_verdicts("typo-30", "ABNN", time="2027-01-01T00-00-00.000000")
    (judged,), notes = read_judges([folder])
    assert judged.benchmark == "fable"
    assert "winobias_clean_direct: passed over, it has no judge" in notes


def test_several_answers_to_one_item(write_verdicts: Write) -> None:
    clean = write_verdicts("clean", "ABNN")
    noisy = write_verdicts("typo-30", "ABNN")
    for path in (clean, noisy):
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for line in lines:
            line["filtered_resps"] = [["A", "B"]]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        results = next(path.parent.glob("results_*.json"))
        content = json.loads(results.read_text("utf-8"))
        for config in content["configs"].values():
            config["repeats"] = 2
        results.write_text(json.dumps(content), "utf-8")
    with pytest.raises(ResultsError, match="has several answers; a verdict is one answer"):
        read_judges([clean, noisy])


def test_items_with_another_number_of_options(write_verdicts: Write) -> None:
    paths = [write_verdicts("clean", "AB"), write_verdicts("typo-30", "AB")]
    for path in paths:
        text = path.read_text("utf-8").replace(', "neither"]', ', "neither", "both"]')
        path.write_text(text, "utf-8")
    with pytest.raises(ResultsError, match="options"):
        read_judges(paths)
