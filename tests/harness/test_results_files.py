"""Finding the files of a run, and choosing among several."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.generators.errors import ResultsError
from sociolect.harness.result_files import find_runs, read_results
from sociolect.harness.results import read_run
from sociolect.harness.selection import select_models, select_runs

Write = Callable[..., Path]
LATER = "2026-03-05T05-06-07.123456"


def test_every_way_to_name_a_run_finds_it(write_run: Write) -> None:
    samples = write_run()
    folder = samples.parent
    results = next(folder.glob("results_*.json"))
    for path in (samples, results, folder, folder.parent):
        (run,) = find_runs(path)
        assert (run.samples, run.results, run.task) == (samples, results, "winobias_clean_direct")


def test_an_output_path_that_ends_in_json(write_run: Write) -> None:
    samples = write_run()
    results = next(samples.parent.glob("results_*.json"))
    renamed = results.rename(results.with_name(results.name.replace("results", "mine")))
    assert find_runs(samples)[0].results == renamed
    assert find_runs(renamed)[0].samples == samples


def test_the_record_of_sociolect_eval_is_no_results_file(write_run: Write) -> None:
    samples = write_run()
    results = next(samples.parent.glob("results_*.json"))
    record = results.with_name(results.name.replace("results", "sociolect"))
    record.write_text(json.dumps({"sociolect": "0.1.0", "tasks": {}}), "utf-8")
    assert find_runs(samples)[0].results == results


@pytest.mark.parametrize("what", ["folder", "above", "file"])
def test_scores_without_answers_say_how_to_get_them(write_run: Write, what: str) -> None:
    samples = write_run()
    samples.unlink()
    folder = samples.parent
    path = {"folder": folder, "above": folder.parent, "file": next(folder.glob("*.json"))}[what]
    with pytest.raises(ResultsError, match="--log_samples"):
        find_runs(path)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="no output of lm-eval"):
        find_runs(tmp_path)
    with pytest.raises(ResultsError, match="no such file"):
        find_runs(tmp_path / "missing")


OTHER = {"config": {"model_args": {"pretrained": "org/other"}}}


def test_several_models_are_listed(write_run: Write) -> None:
    first, second = write_run(folder="a__x"), write_run(folder="a__y", **OTHER)
    with pytest.raises(ResultsError, match="2 models") as error:
        find_runs(first.parent.parent)
    assert f"{first.parent} (org/tiny)" in str(error.value)
    assert f"{second.parent} (org/other)" in str(error.value)


def test_a_folder_of_a_sweep_is_one_of_runs(write_run: Write, tmp_path: Path) -> None:
    out = tmp_path / "sweep"
    for model, extra in (("one", {}), ("two", OTHER)):
        for condition in ("clean", "l2-30"):
            write_run(out / model / f"winobias_{condition}", condition=condition, **extra)
        (out / model / "winobias_clean" / "finished.json").write_text("{}", "utf-8")
    found = select_runs([out / "one"])
    assert found.clean.samples.parent == out / "one" / "winobias_clean" / "org__tiny"
    assert [run.task for run in found.others] == ["winobias_l2_30_direct"]
    assert [len(section.others) for section in select_models([out])] == [1, 1]
    with pytest.raises(ResultsError, match="holds runs of 2 models") as error:
        select_runs([out])
    assert str(error.value).splitlines()[1:] == [
        f"  {out / 'one'} (org/tiny)",
        f"  {out / 'two'} (org/other)",
    ]


def test_models_in_one_another_are_listed_by_their_folders(
    write_run: Write, tmp_path: Path
) -> None:
    write_run(tmp_path / "x", folder="a")
    write_run(tmp_path / "x", folder="b", condition="l2-30", **OTHER)
    write_run(tmp_path / "x", folder="c", condition="l2-30")
    with pytest.raises(ResultsError, match="2 models") as error:
        find_runs(tmp_path)
    named = [line.split()[0] for line in str(error.value).splitlines()[1:]]
    assert named == [str(tmp_path / "x" / name) for name in "acb"]


def test_hidden_folders_are_passed_over_and_links_followed_once(
    write_run: Write, tmp_path: Path
) -> None:
    out = tmp_path / "all"
    samples = write_run(out / "deep" / "deeper")
    write_run(out / ".measured", condition="l2-30")
    elsewhere = write_run(tmp_path / "elsewhere", condition="l2-10")
    (out / "a_link").symlink_to(elsewhere.parent)
    (out / "loop").symlink_to(out)
    linked = out / "a_link" / elsewhere.name
    assert [run.samples for run in find_runs(out)] == [samples, linked]


def test_samples_need_their_results_file(write_run: Write) -> None:
    samples = write_run()
    next(samples.parent.glob("results_*.json")).unlink()
    with pytest.raises(ResultsError, match="exactly one results file"):
        find_runs(samples)


def test_renamed_samples_are_refused(write_run: Write) -> None:
    samples = write_run()
    with pytest.raises(ResultsError, match="keep the name"):
        find_runs(samples.rename(samples.with_name("mine.jsonl")))


@pytest.mark.parametrize("text", ["{", "[]", '{"results": {}}', "[" * 100_000])
def test_a_damaged_results_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results_x.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ResultsError, match=r"results_x\.json"):
        read_results(path)


@pytest.mark.parametrize(
    ("place", "value", "named"),
    [
        (["n-samples"], [1], r"n-samples is \[1\], not an object"),
        (["n-samples", "TASK"], 12, "n-samples of TASK is 12, not an object"),
        (["n-samples", "TASK"], "12", "n-samples of TASK is '12', not an object"),
        (["n-samples", "TASK", "effective"], "12", "effective is '12', not a whole number"),
        (["n-samples", "TASK", "original"], 1.5, "original is 1.5, not a whole number"),
        (["n-shot"], ["x" * 99], "n-shot is .*…, not an object"),
        (["n-shot", "TASK"], "4", "n-shot of TASK is '4', not a whole number"),
        (["configs", "TASK"], "x", "knows no task TASK"),
        (["configs", "TASK", "generation_kwargs"], "t=1", "generation_kwargs is 't=1', not an"),
        (["configs", "TASK", "metadata"], [1], r"metadata is \[1\], not an object"),
        (["configs", "TASK", "metadata"], "v1", "metadata is 'v1', not an object"),
        (["configs", "TASK", "repeats"], "5", "repeats is '5', not a whole number"),
    ],
)
def test_odd_types_in_a_results_file_are_named(
    write_run: Write, place: list[str], value: object, named: str
) -> None:
    task = "winobias_clean_direct"
    samples = write_run()
    write_run(folder="errored", condition="l2-30")
    results = next(samples.parent.glob("results_*.json"))
    content = json.loads(results.read_text("utf-8"))
    *above, last = [key.replace("TASK", task) for key in place]
    inner = content
    for key in above:
        inner = inner[key]
    inner[last] = value
    results.write_text(json.dumps(content), "utf-8")
    (files,) = find_runs(samples)
    for read in (lambda: read_run(files), lambda: select_runs([samples, samples.parent])):
        with pytest.raises(ResultsError, match=named.replace("TASK", task)) as error:
            read()
        assert str(results) in str(error.value)


def test_blank_lines_at_the_beginning_are_skipped(write_run: Write) -> None:
    clean = write_run()
    clean.write_text(f"\n \n{clean.read_text('utf-8')}", "utf-8")
    write_run(condition="l2-30")
    found = select_runs([clean.parent])
    assert found.clean.samples == clean
    assert len(read_run(found.clean).records) == 48
    clean.write_text("\n{", "utf-8")
    with pytest.raises(ResultsError, match="line 2: not JSON"):
        select_runs([clean.parent])


def test_a_seed_of_an_odd_type_is_refused_in_words(write_run: Write) -> None:
    write_run()
    errored = write_run(condition="l2-30", doc={"seed": [1]})
    (files,) = select_runs([errored.parent]).others
    with pytest.raises(ResultsError, match=r"line 1: .*seed \[1\]"):
        read_run(files)


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(ResultsError, match=r"cannot be read .*too long"):
        find_runs(Path("x" * 300))


def test_one_folder_gives_the_clean_run_and_all_errored_runs_by_level(write_run: Write) -> None:
    clean = write_run()
    for condition in ("l2-5", "l2-30", "l2-10", "l2-10-instruction", "l2det-5"):
        write_run(condition=condition)
    found = select_runs([clean.parent.parent])
    assert found.clean.samples == clean
    assert [run.task.removeprefix("winobias_") for run in found.others] == [
        "l2_5_direct",
        "l2_10_direct",
        "l2_30_direct",
        "l2_10_instruction_direct",
        "l2det_5_direct",
    ]
    assert found.notes == []


def test_the_newest_repetition_is_taken_and_named(write_run: Write) -> None:
    clean = write_run()
    write_run(condition="l2-30")
    newer = write_run(condition="l2-30", time=LATER)
    found = select_runs([clean, clean.parent])
    assert [run.samples for run in found.others] == [newer]
    assert found.notes == [f"winobias_l2_30_direct: read {newer.name}, the newest of 2"]


@pytest.mark.parametrize(
    ("difference", "named"),
    [
        ({"config": {"limit": 8.0}}, "limit"),
        ({"config": {"model_args": {"pretrained": "org/tiny", "steer": "v.pt"}}}, "model_args"),
        ({"task_config": {"generation_kwargs": {"temperature": 0.1}}}, "generation"),
        ({"top": {"chat_template": "{{x}}"}}, "chat_template"),
    ],
)
def test_runs_of_one_task_that_differ_are_not_chosen_among(
    write_run: Write, difference: dict[str, object], named: str
) -> None:
    clean = write_run()
    older = write_run(condition="l2-30")
    write_run(condition="l2-30", time=LATER, **difference)
    with pytest.raises(ResultsError, match=f"2 runs that differ in {named}") as error:
        select_runs([clean, clean.parent])
    assert str(older) in str(error.value)
    assert select_runs([clean, older]).others[0].samples == older


def test_error_seeds_are_runs_of_their_own_over_one_clean_run(write_run: Write) -> None:
    metadata = {"metadata": {"version": 1, "error_seed": 1}}
    write_run()
    write_run(condition="l2-30")
    clean = write_run(time=LATER, error_seed=1, task_config=metadata)
    write_run(condition="l2-30", time=LATER, error_seed=1, task_config=metadata)
    found = select_runs([clean.parent])
    assert found.clean.samples == clean
    assert len(found.others) == 2


def test_runs_of_another_kind_are_passed_over_and_named(write_run: Write) -> None:
    clean = write_run()
    write_run(condition="l2-30")
    write_run(condition="l2-30", form="reason")
    found = select_runs([clean.parent])
    assert [run.task for run in found.others] == ["winobias_l2_30_direct"]
    assert "not compared, of another kind: winobias_l2_30" in found.notes[0]


def test_tasks_of_others_beside_ours_are_ignored(write_run: Write) -> None:
    clean = write_run()
    write_run(condition="l2-30")
    foreign = clean.with_name(clean.name.replace("winobias_clean_direct", "arc_easy"))
    foreign.write_text(json.dumps({"doc": {"question": "?"}}) + "\n", "utf-8")
    assert len(select_runs([clean.parent]).others) == 1


def test_no_clean_run_or_several(write_run: Write) -> None:
    errored = write_run(condition="l2-30")
    with pytest.raises(ResultsError, match="no clean run among"):
        select_runs([errored.parent])
    write_run()
    write_run(form="reason")
    with pytest.raises(ResultsError, match="several clean runs"):
        select_runs([errored.parent])


def test_nothing_to_compare_with(write_run: Write) -> None:
    clean = write_run()
    with pytest.raises(ResultsError, match="found only winobias_clean_direct"):
        select_runs([clean.parent])


def test_only_tasks_of_others(write_run: Write) -> None:
    clean = write_run()
    clean.write_text(json.dumps({"doc": {"question": "?"}}) + "\n", "utf-8")
    with pytest.raises(ResultsError, match="no task of sociolect"):
        select_runs([clean.parent])
