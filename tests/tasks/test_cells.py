from __future__ import annotations

import json

import pytest

from sociolect.generators import manifest
from sociolect.generators.conditions import JUDGED, Condition
from sociolect.generators.errors import LevelUnreachableError, UnknownNameError
from sociolect.tasks import cells, generate
from sociolect.tasks.cells import Cell
from sociolect.tasks.kinds import KIND_OF, kind_of
from sociolect.tasks.paths import tasks_path


@pytest.fixture
def ceiling(monkeypatch):
    """One cell above reach."""
    table = {"winobias": {"data_version": "1.0.0", "ceilings": {"l2det-30-instruction": 24.3}}}
    monkeypatch.setattr(cells, "_table", lambda: table)


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        (Cell("winobias", Condition()), "winobias_clean"),
        (Cell("winobias", Condition(), "direct"), "winobias_clean_direct"),
        (Cell("winobias", Condition("l2", 30)), "winobias_l2_30"),
        (Cell("winobias", Condition("l2prep", 5, "both")), "winobias_l2prep_5_both"),
        (Cell("winobias", Condition("l2", 30), "ll"), "winobias_l2_30_ll"),
        (Cell("bbq_gender", Condition("l2", 30)), "bbq_gender_l2_30"),
        (Cell("bbq_gender_disambig", Condition("l2", 30)), "bbq_gender_disambig_l2_30"),
        (Cell("bbq_race_disambig", Condition(), "direct"), "bbq_race_disambig_clean_direct"),
        (Cell("mmlu", Condition("l2verb", 5), "ll"), "mmlu_l2verb_5_ll"),
        (Cell("winogrande", Condition("l2", 5, "both")), "winogrande_l2_5_both"),
        (Cell("winobias", Condition("typo", 30)), "winobias_typo_30"),
        (
            Cell("bbq_gender", Condition("combined", 100), "direct"),
            "bbq_gender_combined_100_direct",
        ),
        (Cell("fable", Condition("punct", 10), "ll"), "fable_punct_10_ll"),
        (Cell("fable_control", Condition()), "fable_control_clean"),
    ],
)
def test_task_names(cell, name):
    assert cell.task == name
    assert cells.cell(name) == cell


def test_every_name_is_the_name_of_one_cell():
    every = cells.all_cells()
    assert len({cell.task for cell in every}) == len(every)
    assert all(cells.cell(cell.task) == cell for cell in every)


def test_suites_hold_the_benchmarks_that_are_reported_together():
    assert {name for members in cells.SUITES.values() for name in members} <= set(KIND_OF)
    members = cells.tag_members()
    clean = [task for task in members["sociolect_gender_l2"] if "clean" in task]
    assert clean == ["winobias_clean", "bbq_gender_clean", "degen_gender_clean"]
    assert "degen_race_l2_30" in members["sociolect_l2"]
    assert "bbq_race_l2_30_ll" in members["sociolect_l2_ll"]
    assert "mmlu_l2_20_direct" in members["sociolect_accuracy_l2_direct"]
    assert "bbq_gender_disambig_l2_5" in members["sociolect_accuracy_l2"]
    assert "bbq_gender_l2prep_10" in members["sociolect_gender_l2prep"]
    for name, benchmarks in cells.SUITES.items():
        kinds = {kind_of(benchmark) for benchmark in benchmarks}
        assert ("accuracy" in kinds) == (name == "sociolect_accuracy")


def test_the_forms_without_an_instruction_have_no_instruction_cells():
    for cell in cells.cells("winobias"):
        assert cell.form == "reason" or cell.condition.part == "input"


def test_the_grid_less_its_ceilings():
    for benchmark in cells.benchmarks():
        found = cells.cells(benchmark)
        beyond = cells.ceilings(benchmark)
        inputs = sum(Condition.parse(name).part == "input" for name in beyond)
        clean, errors, noise = 1, 5 * 4, 5 * 5
        if kind_of(benchmark) == "judge":
            expected = 2 * (clean + noise)
        else:
            expected = 3 * (clean + errors + noise) + 2 * errors - len(beyond) - 2 * inputs
        assert len(found) == len({c.task for c in found}) == expected


def test_benchmarks_of_judge_items_are_those_of_that_kind():
    assert set(JUDGED) == {name for name, kind in KIND_OF.items() if kind == "judge"}


def test_noise_is_in_the_input_only():
    noise = [c for c in cells.all_cells() if c.condition.is_noise]
    assert {c.condition.part for c in noise} == {"input"}
    assert {c.benchmark for c in noise} == set(cells.benchmarks())


def test_what_is_above_the_ceiling_has_no_task(ceiling):
    names = [c.task for c in cells.cells("winobias")]
    assert "winobias_l2det_30" in names
    assert "winobias_l2det_30_instruction" not in names
    assert "winobias_l2det_30_instruction.yaml" not in generate.files("winobias")
    with pytest.raises(LevelUnreachableError, match=r"reach 24\.3 %, not 30 %"):
        cells.cell("winobias_l2det_30_instruction")


def test_unknown_tasks_and_benchmarks_name_near_ones():
    with pytest.raises(UnknownNameError, match="winobias_l2_30"):
        cells.cell("winobias_l2_31")
    with pytest.raises(UnknownNameError, match="winobias"):
        cells.cells("winobais")


def test_an_unknown_task_is_not_answered_with_the_list_of_all():
    with pytest.raises(UnknownNameError, match="near matches: winobias_l2_30") as caught:
        cells.cell("winobias_l2_3O")
    message = str(caught.value)
    assert "`sociolect tasks`" in message
    assert message.count("winobias_") == 4  # the name itself and three near ones
    assert f"Known: {sum(len(cells.cells(b)) for b in cells.benchmarks())} names" in message


def test_other_forms_of_a_task():
    assert cells.other_forms("winobias_l2_30") == ("winobias_l2_30_direct", "winobias_l2_30_ll")
    assert cells.other_forms("winobias_l2_30_direct") == ("winobias_l2_30", "winobias_l2_30_ll")
    assert cells.other_forms("winobias_l2_20_both") == ()


def test_tags_hold_a_dose_response_with_its_clean_task():
    by_tag: dict[str, set[str]] = {}
    for cell in cells.cells("winobias"):
        for tag in cell.tags:
            by_tag.setdefault(tag, set()).add(cell.task)
    assert by_tag["winobias_l2_both"] >= {"winobias_clean", "winobias_l2_30_both"}
    assert by_tag["winobias_l2_ll"] == {"winobias_clean_ll"} | {
        f"winobias_l2_{level}_ll" for level in (5, 10, 20, 30)
    }
    assert by_tag["winobias_typo_ll"] == {"winobias_clean_ll"} | {
        f"winobias_typo_{level}_ll" for level in (10, 30, 50, 70, 100)
    }
    assert len(by_tag["winobias_noise"]) == 1 + 25
    assert len(by_tag["winobias_noise_direct"]) == 1 + 25
    assert not {"winobias_noise_both", "winobias_typo_instruction"} & set(by_tag)
    assert all(any("_clean" in task for task in tasks) for tasks in by_tag.values())
    assert not by_tag.keys() & {cell.task for cell in cells.cells("winobias")}
    assert not set(cells.tag_members()) & {cell.task for cell in cells.all_cells()}


def test_the_tags_of_a_judge_are_those_of_noise():
    tags = {tag for cell in cells.cells("fable_control") for tag in cell.tags}
    kinds = ("typo", "informal", "punct", "colloquial", "combined", "noise")
    assert tags == {f"fable_control_{kind}{end}" for kind in kinds for end in ("", "_ll")}
    assert "winobias_combined_30" in cells.tag_members()["sociolect_noise"]


def test_the_tasks_ask_for_the_data_that_are_built():
    for benchmark in cells.benchmarks():
        assert cells.data_version(benchmark) == manifest.DATA_VERSION


def test_committed_task_files_are_those_that_the_generator_writes(tmp_path):
    generate.write(tmp_path)
    for benchmark in (*cells.benchmarks(), "aae"):
        committed = {p.name: p.read_bytes() for p in (tasks_path() / benchmark).glob("*yaml")}
        written = {p.name: p.read_bytes() for p in (tmp_path / benchmark).iterdir()}
        assert committed == written


def test_tasks_that_no_longer_exist_lose_their_file(tmp_path, ceiling):
    old = tmp_path / "winobias" / "winobias_l2det_30_instruction.yaml"
    old.parent.mkdir()
    old.write_text("old")
    (old.parent / "notes.txt").write_text("kept")
    generate.write(tmp_path)
    assert not old.exists()
    assert (old.parent / "notes.txt").exists()


def test_the_table_of_cells_is_tidy():
    table = json.loads((tasks_path() / "cells.json").read_text())
    assert list(table) == list(KIND_OF)
    for entry in table.values():
        assert set(entry) == {"data_version", "ceilings"}
        for name, reach in entry["ceilings"].items():
            assert reach <= Condition.parse(name).level - 1
