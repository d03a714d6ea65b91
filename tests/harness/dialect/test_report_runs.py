"""Which runs the report takes, which it refuses, and how systems are told apart."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import NotComparableError, ResultsError
from sociolect.harness.dialect.runs import read_runs
from sociolect.harness.dialect.system_names import datasets
from sociolect.harness.dialect.systems import Dataset

from .dialect_runs import Writer, pairs

N = 6
CHOSEN = {(context, order): "as" * (N // 2) for context in ("aae", "sae") for order in (0, 1)}
LOG_P = {(x, y): [-5.0] * N for x in ("aae", "sae") for y in ("aae", "sae")}


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    return Writer(tmp_path, pairs(N))


def read(root: Path, allow: tuple[str, ...] = ()) -> list[Dataset]:
    return datasets(read_runs([root])[0], allow)


def names(dataset: Dataset) -> list[str]:
    return [one.label for one in dataset.systems]


def test_systems_are_told_apart_and_base_comes_first(write: Writer) -> None:
    steer = {"steering": "/runs/direction"}
    write.choice(CHOSEN, folder="c", arguments={**steer, "beta": 1.0})
    write.choice(CHOSEN, folder="d", arguments={**steer, "beta": 0.4})
    write.choice(CHOSEN, folder="e", arguments={"peft": "/runs/lora/errors"})
    write.choice(CHOSEN, folder="e", arguments={"peft": "/runs/lora/errors"}, prompted=True)
    write.choice(CHOSEN, folder="a", prompted=True)
    write.continuation(LOG_P, folder="a")
    write.choice(CHOSEN, folder="a")
    write.choice(CHOSEN, folder="f", arguments={"pretrained": "/models/other"})
    (dataset,) = read(write.root)
    assert sorted(names(dataset)) == sorted(
        [
            "org/tiny · Base",
            "org/tiny · Prompt",
            "org/tiny · steered direction β=0.4",
            "org/tiny · steered direction β=1.0",
            "org/tiny · adapter errors",
            "org/tiny · adapter errors, prompted",
            "other · Base",
        ]
    )
    of_tiny = [one.name for one in dataset.systems if one.model == "org/tiny"]
    assert of_tiny[:2] == ["Base", "Prompt"]
    assert of_tiny.index("steered direction β=0.4") < of_tiny.index("steered direction β=1.0")
    base = dataset.systems[names(dataset).index("org/tiny · Base")]
    assert set(base.runs) == {"aae_choice_best", "aae_continuation"}
    held = {one.name: dataset.base_of(one) for one in dataset.systems if one.model == "org/tiny"}
    assert held.pop("Base") is None
    assert all(one is base for one in held.values())


def test_models_of_one_name_show_what_differs(write: Writer) -> None:
    for folder, dtype in (("a", "float32"), ("b", "bfloat16")):
        config = {"model_dtype": f"torch.{dtype}"}
        write.choice(CHOSEN, folder=folder, arguments={"dtype": dtype}, config=config)
        prompted = {"folder": folder, "prompted": True}
        write.choice(CHOSEN, arguments={"dtype": dtype}, config=config, **prompted)
    (dataset,) = read(write.root)
    found = {one.name: dataset.base_of(one) for one in dataset.systems}
    assert set(found) == {
        f"{name} (dtype torch.{dtype})"
        for name in ("Base", "Prompt")
        for dtype in ("float32", "bfloat16")
    }
    # Each is held against the Base in its own precision.
    base = found["Prompt (dtype torch.bfloat16)"]
    assert base is not None
    assert base.name == "Base (dtype torch.bfloat16)"


def test_the_newest_run_of_a_task_is_read(write: Writer) -> None:
    write.choice(CHOSEN, time="2026-03-04T05-06-07.000001")
    newer = write.choice(CHOSEN, time="2026-03-05T05-06-07.000001")
    (run,), notes = read_runs([write.root])
    assert run.files.samples == newer
    assert notes == [f"aae_choice_best: read {newer.name}, the newest of 2"]


def test_repetitions_with_other_settings_are_not_chosen_among(write: Writer) -> None:
    write.choice(CHOSEN, time="2026-03-04T05-06-07.000001")
    later = {"time": "2026-03-05T05-06-07.000001", "top": {"chat_template": "{{ x }}"}}
    write.choice(CHOSEN, **later)
    with pytest.raises(ResultsError, match="differ in chat_template; name one of"):
        read_runs([write.root])


def test_other_data_and_other_splits_are_datasets_of_their_own(write: Writer) -> None:
    write.choice(CHOSEN)
    Writer(write.root, pairs(N), "e" * 64).choice(CHOSEN, time="2026-03-05T05-06-07.000001")
    selection = Writer(write.root, pairs(N, split="selection"))
    later = {"time": "2026-03-06T05-06-07.000001", "metadata": {"split": "selection"}}
    selection.choice(CHOSEN, prompted=True, **later)
    found = read(write.root)
    assert [one.label for one in found] == [
        "data dddddddddddd, split evaluation",
        "data eeeeeeeeeeee, split evaluation",
        "data dddddddddddd, split selection",
    ]
    assert [names(one) for one in found] == [["org/tiny · Base"]] * 2 + [["org/tiny · Prompt"]]
    assert found[2].notes[0].startswith("org/tiny · Prompt: no run of its Base")


def test_pairs_in_no_split_say_so(tmp_path: Path) -> None:
    Writer(tmp_path, pairs(N, split="")).choice(CHOSEN)
    assert read(tmp_path)[0].label == "data dddddddddddd, no split"


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"top": {"chat_template": "{{ x }}"}}, "chat_template"),
        ({"top": {"system_instruction": "Be brief."}}, "system_instruction"),
        ({"doc": {"task_format": 2}}, "task_format"),
    ],
)
def test_a_system_asked_otherwise_than_its_base_is_refused(
    write: Writer, change: dict[str, Any], name: str
) -> None:
    write.choice(CHOSEN, folder="a")
    write.choice(CHOSEN, folder="b", prompted=True, **change)
    with pytest.raises(NotComparableError, match=f"(?s)org/tiny · Prompt.*{name}.*files: "):
        read(write.root)
    if name == "task_format":  # another question; nobody can allow that
        with pytest.raises(NotComparableError):
            read(write.root, ("data", "ids"))
    else:
        assert name in read(write.root, (name,))[0].notes[0]


def test_other_prompts_than_base_are_refused_with_how_many(write: Writer) -> None:
    write.choice(CHOSEN, folder="a")
    Writer(write.root, pairs(N - 1)).choice(CHOSEN, folder="b", prompted=True)
    said = r"4 prompts \(e\.g\. of pair p005\) only in the first, no prompt only in the second"
    with pytest.raises(NotComparableError, match=said):
        read(write.root)
    assert len(read(write.root, ("ids",))[0].ids) == N


def test_groups_are_clusters(tmp_path: Path) -> None:
    of = pairs(N)
    of[1].group = of[4].group = "item 7"
    Writer(tmp_path, of).choice(CHOSEN)
    (dataset,) = read(tmp_path)
    assert dataset.clusters.tolist() == [0, 1, 2, 3, 1, 4]
    assert (dataset.grouped, dataset.size) == (True, 5)


def test_other_tasks_are_passed_over_by_name(write: Writer) -> None:
    path = write.choice(CHOSEN)
    other = path.with_name(path.name.replace("aae_choice_best", "winobias_clean"))
    other.write_text('{"doc": {"benchmark": "winobias"}}\n', "utf-8")
    runs, notes = read_runs([write.root])
    assert [run.task for run in runs] == ["aae_choice_best"]
    assert notes == ["passed over, not of the dialect audit: winobias_clean"]
    with pytest.raises(ResultsError, match="no run of a task aae_"):
        read_runs([other])


Damage = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda line: line["doc"].pop("context"), "no context"),
        (lambda line: line["doc"].update(order="0"), "order '0'"),
        (lambda line: line["doc"].update(kind="riddle"), "kind 'riddle'"),
        (lambda line: line["doc"].update(prompted=True), "prompted is True, but False"),
        (lambda line: line["doc"].update(data_sha256="e" * 64), "data_sha256 is 'e"),
        (lambda line: line["doc"].update(id="p000"), "the prompt p000, aae, 0 occurs twice"),
        (lambda line: line.update(filtered_resps=[]), "no filtered_resps"),
        (lambda line: line.update(filtered_resps=[["-1.0", "False"]]), "1 log-likelihoods"),
        (lambda line: line.update(filtered_resps=[["x", "F"], ["y", "F"]]), "cannot be read"),
        (lambda line: line.update(filter="strict"), "two filters"),
        (lambda line: line.pop("doc"), "no doc"),
        (lambda line: line["doc"].update(naturalness=2), "naturalness 2 is no share"),
        (lambda line: line["doc"].update(naturalness="1"), "naturalness '1' is no share"),
        (lambda line: line["doc"].update(naturalness=math.nan), "naturalness nan is no share"),
        (lambda line: line["doc"].update(sae_boundary=None), r"\(aae 7, sae None\) are not inside"),
        (lambda line: line["doc"].update(aae_boundary=400), r"\(aae 400, sae 12\)"),
        (lambda line: line["doc"].update(aae_boundary=0), r"\(aae 0, sae 12\)"),
        (
            lambda line: line.update(filtered_resps=[["0.5", "F"], ["-1", "F"]]),
            "a log-likelihood of 0.5, above 0",
        ),
    ],
)
def test_a_damaged_line_is_refused_with_file_and_line(
    write: Writer, damage: Damage, said: str
) -> None:
    path = write.choice(CHOSEN)
    lines = path.read_text("utf-8").splitlines()
    fifth = json.loads(lines[4])  # the first prompt of the second pair
    damage(fifth)
    lines[4] = json.dumps(fifth)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(ResultsError, match=said) as stop:
        read_runs([path])
    assert str(stop.value).startswith(f"{path}, line 5: ")


@pytest.mark.parametrize("field", ["group", "split", "aae", "sae_boundary"])
def test_a_pair_is_the_same_in_all_lines(write: Writer, field: str) -> None:
    path = write.choice(CHOSEN)
    lines = path.read_text("utf-8").splitlines()
    second = json.loads(lines[1])
    second["doc"][field] = 20 if field == "sae_boundary" else "they be up late"
    lines[1] = json.dumps(second)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(ResultsError, match="another group, split, text or boundary") as stop:
        read_runs([path])
    assert str(stop.value).startswith(f"{path}, line 2: ")


def test_a_cut_line_and_an_empty_file_are_refused(write: Writer) -> None:
    path = write.choice(CHOSEN)
    whole = path.read_text("utf-8")
    path.write_text(whole[:-20], "utf-8")
    with pytest.raises(ResultsError, match="line 24: not JSON"):
        read_runs([path])
    path.write_text(whole + whole.splitlines()[0].replace('"p000"', '"p900"') + "\n", "utf-8")
    with pytest.raises(ResultsError, match=r"25 prompts, but results_.* speaks of 24"):
        read_runs([path])


def test_a_run_that_was_cut_short_says_so(write: Writer) -> None:
    path = write.choice(CHOSEN)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-4]), "utf-8")
    (run,), _ = read_runs([path])
    assert run.partial == "interrupted: 20 of 24 prompts in the samples file"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty; the run logged no answer"),
        ('{"doc_id": 0}\n', "line 1: no sample of lm-eval"),
        ("{}\n{}\n", "line 1: no sample of lm-eval"),
        ('{"doc": {"benchmark": "winobias"}}\n', "line 1: doc None is not as sociolect writes it"),
    ],
)
def test_a_damaged_run_of_ours_is_not_passed_over(write: Writer, content: str, said: str) -> None:
    write.continuation(LOG_P)
    path = write.choice(CHOSEN)
    path.write_text(content, "utf-8")
    for named in (write.root, path):
        with pytest.raises(ResultsError, match=said) as stop:
            read_runs([named])
        assert str(stop.value).startswith(str(path))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("benchmark", "bbq"),
        ("context", "xyz"),
        ("version", "aae"),
        ("order", 2),
        ("order", -1),
        ("kind", "sentiment"),
        ("wording", "likely"),
        ("prompted", True),
    ],
)
def test_a_document_that_its_task_does_not_ask_is_refused(
    write: Writer, field: str, value: object
) -> None:
    path = write.choice(CHOSEN)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines if field in ("benchmark", "kind", "wording", "prompted") else lines[:1]:
        line["doc"][field] = value
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    said = f"line 1: doc 'p000': {field} is {value!r}, which aae_choice_best does not ask"
    with pytest.raises(ResultsError, match=re.escape(said)):
        read(write.root)


def test_pairs_of_another_split_than_was_asked_for_are_refused(write: Writer) -> None:
    write.continuation(LOG_P, doc={"split": "tracing"})
    with pytest.raises(ResultsError, match="p000 is of split 'tracing', but 'evaluation' was"):
        read(write.root)


@pytest.mark.parametrize("split", ["tracing", "all"])
def test_the_split_that_was_asked_for_is_read(write: Writer, split: str) -> None:
    write.continuation(LOG_P, doc={"split": "tracing"}, metadata={"split": split})
    (dataset,) = read(write.root)
    assert len(dataset.ids) == N


@pytest.mark.parametrize("field", ["aae", "sae", "aae_back", "naturalness", "sae_boundary"])
def test_a_pair_is_the_same_in_all_runs_of_the_data(write: Writer, field: str) -> None:
    write.choice(CHOSEN)
    changed = {"naturalness": 0.25, "sae_boundary": 17}.get(field, "they was tired all night long")
    write.continuation(LOG_P, doc={field: changed})
    with pytest.raises(ResultsError, match="another text, boundary or rating than in another run"):
        read(write.root)
