"""Runs of one comparison can be told apart, and are not mixed up."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import NotComparableError, ResultsError
from sociolect.harness.compare import Comparison, Method, compare
from sociolect.harness.exports import render_csv, render_json
from sociolect.harness.remarks import remarks
from sociolect.harness.result_files import find_runs
from sociolect.harness.results import Run, read_run
from sociolect.harness.run_settings import short_names
from sociolect.harness.selection import select_models, select_runs
from sociolect.harness.tables import render_markdown, render_table

Write = Callable[..., Path]
EARLIER = "2026-03-03T05-06-07.123456"
LATER = "2026-03-05T05-06-07.123456"
PAPER: dict[str, Any] = {"doc": {"rules": "paper"}}
CAREFUL: dict[str, Any] = {
    "doc": {"rules": "careful", "data_sha256": "c" * 64, "local_data": True},
}
ERRORED = {"condition": "l2-30"}


def read(path: Path) -> Run:
    return read_run(find_runs(path)[0])


def allowing(*names: str) -> Method:
    return Method(permutations=99, resamples=99, allow=frozenset(names))


def model(name: str, **arguments: str) -> dict[str, Any]:
    return {"config": {"model_args": {"pretrained": name, "dtype": "float32", **arguments}}}


@pytest.fixture
def compared(write_run: Write) -> Callable[..., Comparison]:
    def run(clean: dict[str, Any], *others: dict[str, Any], allow: str = "") -> Comparison:
        first = read(write_run(folder="first", **clean))
        runs = [read(write_run(folder=f"other{i}", **o)) for i, o in enumerate(others)]
        return compare(first, runs, allowing(*allow.split()))

    return run


def labels(comparison: Comparison) -> list[str]:
    return [row.other.label for row in comparison.rows]


@pytest.mark.parametrize(
    ("older", "newer", "named"),
    [
        ({}, CAREFUL, "rules, data_sha256"),
        (PAPER, CAREFUL, "rules, data_sha256"),
        ({}, {"doc": {"data_sha256": "e" * 64}}, "data_sha256"),
    ],
)
def test_runs_on_other_data_are_no_repetitions(
    write_run: Write, older: dict[str, Any], newer: dict[str, Any], named: str
) -> None:
    folder = write_run().parent
    write_run(**ERRORED, **older)
    write_run(**ERRORED, time=LATER, **newer)
    with pytest.raises(ResultsError, match=f"2 runs that differ in {named}; name one"):
        select_runs([folder])


def test_documents_that_name_no_rules_are_of_the_paper(write_run: Write) -> None:
    write_run()
    write_run(**ERRORED)
    newer = write_run(**ERRORED, time=LATER, **PAPER)
    assert select_runs([newer.parent]).others[0].samples == newer
    assert read(newer).rules == "paper"
    assert read(write_run(folder="old", **ERRORED)).rules == "paper"


def test_clean_data_of_another_error_seed_are_still_repetitions(write_run: Write) -> None:
    write_run()
    clean = write_run(time=LATER, error_seed=1, doc={"data_sha256": "f" * 64})
    write_run(**ERRORED)
    assert select_runs([clean.parent]).clean.samples == clean


@pytest.mark.parametrize(("clean", "errored"), [({}, CAREFUL), (CAREFUL, {})])
def test_another_rule_set_than_the_clean_run_is_refused(
    compared: Callable[..., Comparison], clean: dict[str, Any], errored: dict[str, Any]
) -> None:
    with pytest.raises(NotComparableError, match=r"data: rules '\w+' / '\w+'\n") as error:
        compared(clean, {**ERRORED, **errored})
    assert "add --allow data" in str(error.value)


def test_careful_data_throughout_are_comparable_though_clean_is_published(
    compared: Callable[..., Comparison],
) -> None:
    result = compared({"doc": {"rules": "careful"}}, {**ERRORED, **CAREFUL})
    assert labels(result) == ["l2-30 (careful)"]
    assert "(clean, careful: " in render_table(result)


def test_allowed_rule_sets_are_told_apart_everywhere(compared: Callable[..., Comparison]) -> None:
    seeded = {**CAREFUL, "error_seed": 2}
    result = compared(
        {}, ERRORED, {**ERRORED, **CAREFUL}, {**ERRORED, **seeded}, allow="data condition"
    )
    assert labels(result) == ["l2-30", "l2-30 (careful)", "l2-30 (careful, error seed 2)"]
    for text in (render_table(result), render_markdown(result)):
        assert all(text.count(label.replace("_", r"\_")) for label in labels(result))
    assert any(
        r.startswith("Allowed for winobias_l2_30_direct (careful): data: rules")
        for r in remarks(result)
    )
    rows = list(csv.DictReader(io.StringIO(render_csv(result))))
    assert [row["rules"] for row in rows] == ["paper", "careful", "careful"]
    assert [row["data_sha256"][0] for row in rows] == ["l", "c", "c"]
    document = json.loads(render_json(result))
    assert [row["rules"] for row in document["rows"]] == ["paper", "careful", "careful"]
    assert document["inputs"][2]["data"]["rules"] == "careful"


def test_one_condition_on_two_builds_is_refused_and_if_allowed_labelled(
    compared: Callable[..., Comparison],
) -> None:
    runs = [{**ERRORED, "doc": {"data_sha256": letter * 64}} for letter in "ab"]
    with pytest.raises(NotComparableError, match=r"data: sha256 a{12} / b{12} under one cond"):
        compared({}, *runs)
    result = compared({}, *runs, allow="data")
    assert labels(result) == ["l2-30 (data aaaaaaaa)", "l2-30 (data bbbbbbbb)"]


def test_repetitions_that_were_named_are_labelled_by_time_or_file(
    compared: Callable[..., Comparison],
) -> None:
    result = compared({}, ERRORED, {**ERRORED, "time": LATER})
    assert labels(result)[1] == f"l2-30 ({LATER})"
    result = compared({}, ERRORED, ERRORED)
    assert ["other0" in labels(result)[0], "other1" in labels(result)[1]] == [True, True]


def test_local_paths_are_shown_as_long_as_they_must_be() -> None:
    assert short_names(["/x/ckpt-1/final", "/x/ckpt-2/final", "/y/base", "org/final"]) == {
        "/x/ckpt-1/final": "ckpt-1/final",
        "/x/ckpt-2/final": "ckpt-2/final",
        "/y/base": "base",
        "org/final": "org/final",
    }
    assert short_names(["/a/org/x", "/b/org/x", "org/x", "/", "./x"]) == {
        "/a/org/x": "a/org/x",
        "/b/org/x": "b/org/x",
        "org/x": "org/x",
        "/": "/",
        "./x": "./x",
    }


def test_two_models_whose_paths_end_alike_are_two(compared: Callable[..., Comparison]) -> None:
    first, second = model("/x/ckpt-1/final"), model("/x/ckpt-2/final")
    result = compared(first, {**ERRORED, **first}, {**ERRORED, **second}, allow="model")
    assert [row.other.model for row in result.rows] == ["ckpt-1/final", "ckpt-2/final"]
    assert [row.is_plain for row in result.rows] == [True, False]
    assert list(result.families.values()) == [1, 1]
    assert labels(result) == ["l2-30", "l2-30"]
    lines = render_table(result).splitlines()
    assert lines[0].startswith("ckpt-1/final → ckpt-1/final, ckpt-2/final · winobias")
    assert lines[2].split()[:3] == ["model", "condition", "baseline"]


@pytest.mark.parametrize(
    ("arguments", "shown", "allow"),
    [
        ({"revision": "v2"}, "org/tiny (revision v2)", "model"),
        ({"peft": "org/lora"}, "org/lora", "model"),
        ({"lora_local_path": "org/lora", "max_lora_rank": "64"}, "org/lora", "model"),
        ({"steer_path": "a.pt"}, "org/tiny (steer_path a.pt)", "model_args"),
    ],
)
def test_models_of_one_name_are_told_apart_by_their_arguments(
    compared: Callable[..., Comparison], arguments: dict[str, str], shown: str, allow: str
) -> None:
    other = model("org/tiny", **arguments)
    other["config"]["model_revision"] = arguments.get("revision", "main")
    result = compared({}, {**ERRORED, **other}, allow=allow)
    (row,) = result.rows
    assert row.other.model == shown
    assert row.baseline.model.startswith("org/tiny")
    assert not row.is_plain
    title, _, header = render_table(result).splitlines()[:3]
    assert title.startswith(f"{row.baseline.model} → {shown} · ")
    assert "model" in header
    assert "baseline value" in header
    assert next(csv.DictReader(io.StringIO(render_csv(result))))["model"] == shown


def test_a_hash_that_was_not_looked_up_makes_no_second_model(
    compared: Callable[..., Comparison],
) -> None:
    (row,) = compared({}, {**ERRORED, "config": {"model_sha": "a" * 40}}).rows
    assert row.is_plain
    result = compared(
        {"config": {"model_sha": "a" * 40}},
        {**ERRORED, "config": {"model_sha": "b" * 40}},
        allow="model_sha",
    )
    assert result.rows[0].other.model == f"org/tiny (model_sha {'b' * 40})"


def test_two_clean_runs_are_not_headed_clean_and_errored(
    compared: Callable[..., Comparison],
) -> None:
    result = compared({}, {"time": LATER}, allow="condition")
    assert not result.rows[0].is_plain
    header = render_table(result).splitlines()[2]
    assert "errored" not in header
    assert "baseline value" in header
    assert labels(result) == [f"clean ({LATER})"]
    roles = [entry["role"] for entry in json.loads(render_json(result))["inputs"]]
    assert roles == ["clean", "compared"]


def test_what_changes_no_answer_keeps_no_runs_apart(write_run: Write) -> None:
    first = model("org/tiny", answers="/x/a", chunk="64", gpu_memory_utilization="0.9")
    write_run(time=EARLIER, **first)
    other = model("org/tiny", answers="/y/a", chunk="128", tensor_parallel_size="2")
    write_run(**ERRORED, **model("org/tiny", answers="/x/a"))
    newer = write_run(**ERRORED, time=LATER, **other)
    chosen = select_runs([newer.parent])
    assert chosen.others[0].samples == newer
    (section,) = select_models([newer.parent])
    assert section.others[0].samples == newer
    result = compare(read_run(chosen.clean), [read_run(chosen.others[0])], allowing())
    (row,) = result.rows
    assert row.other.model == "org/tiny"
    said = [remark for remark in remarks(result) if "chunk" in remark]
    assert len(said) == 1
    assert "64" in said[0]
    assert "128" in said[0]


def test_base_and_adapter_in_one_folder_are_two_models(write_run: Write) -> None:
    tuned = model("org/tiny", lora_local_path="/x/lora")
    paths = [write_run(**run) for run in (model("org/tiny"), {**ERRORED, **model("org/tiny")})]
    paths += [write_run(time=LATER, **run) for run in (tuned, {**ERRORED, **tuned})]
    assert len({path.parent for path in paths}) == 1
    with pytest.raises(ResultsError, match="differ in model_args"):
        select_runs([paths[0].parent])
    sections = select_models([paths[0].parent])
    names = [[read_run(run).model for run in (s.clean, *s.others)] for s in sections]
    assert names == [["org/tiny"] * 2, ["lora"] * 2]
