"""Reading a run: answers, settings, and everything that can be wrong with a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import ResultsError
from sociolect.harness.result_files import find_runs
from sociolect.harness.results import Run, read_run

Write = Callable[..., Path]


def read(path: Path, **options: bool) -> Run:
    (files,) = find_runs(path)
    return read_run(files, **options)


def edit(path: Path, line: int, change: Callable[[dict[str, Any]], None]) -> None:
    lines = path.read_text("utf-8").splitlines()
    sample = json.loads(lines[line])
    change(sample)
    lines[line] = json.dumps(sample)
    path.write_text("\n".join(lines) + "\n", "utf-8")


def test_a_run_knows_what_it_is(write_run: Write) -> None:
    path = write_run(condition="l2spell-10-both", form="reason", pairs=3)
    run = read(path)
    assert run.task == "winobias_l2spell_10_both"
    assert run.condition == Condition("l2spell", 10, "both")
    assert (run.benchmark, run.axis, run.form, run.model) == (
        "winobias",
        "gender",
        "reason",
        "org/tiny",
    )
    assert len(run.records) == 12
    assert (run.asked, run.unanswered, run.partial) == (60, 0, "")
    assert run.sha256["samples"] == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("form", ["reason", "direct", "ll"])
def test_answers_are_row_indices_in_either_order(write_run: Write, form: str) -> None:
    run = read(write_run(form=form, pairs=4, answer=lambda pair, *_: (0, 1, -1, 1)[pair]))
    for record in run.records:
        expected = (0, 1, -1, 1)[int(record.pair_id[-4:])]
        assert set(record.choices) == {expected}
    assert run.unanswered == run.asked // 4


def test_strict_mode_reads_the_same_file_again(write_run: Write) -> None:
    path = write_run(form="reason", pairs=2, answer=lambda *_: r"\boxed{A: the carpenter}")
    assert read(path).unanswered < read(path, strict=True).unanswered
    assert read(path, strict=True).settings["answer_mode"] == "strict"


def test_a_run_scored_in_strict_mode_is_read_in_strict_mode(write_run: Write) -> None:
    path = write_run(
        form="reason", answer=lambda *_: r"\boxed{A: the carpenter}", doc={"answer_mode": "strict"}
    )
    run = read(path)
    assert run.unanswered == run.asked


def test_a_local_model_is_shown_by_its_folder_and_a_nameless_one_by_its_kind(
    write_run: Write,
) -> None:
    local = {"model_args": {"pretrained": "/models/Tiny-1B", "dtype": "float32"}}
    assert read(write_run(config=local)).model == "Tiny-1B"
    dummy = write_run(folder="x1y2", config={"model": "dummy", "model_args": {}})
    assert read(dummy).model == "dummy"


def test_model_arguments_as_text_and_as_mapping_are_the_same(write_run: Write) -> None:
    text = {"model_args": "pretrained=org/tiny,dtype=float32,max_length=512,api_key=s3cret"}
    mapping = {"model_args": {"pretrained": "org/tiny", "dtype": "float32", "max_length": 512}}
    first = read(write_run(folder="a", config=text)).settings
    assert first == read(write_run(folder="b", config=mapping)).settings
    assert "s3cret" not in str(first)


def test_interrupted_and_limited_runs_are_told_apart(write_run: Write) -> None:
    cut = write_run(pairs=5)
    lines = cut.read_text("utf-8").splitlines(keepends=True)
    cut.write_text("".join(lines[:7]), "utf-8")
    assert read(cut).partial == "interrupted: 7 of 20 prompts in the samples file"
    limited = write_run(folder="b", pairs=5)
    results = next(limited.parent.glob("results_*.json"))
    content = json.loads(results.read_text("utf-8"))
    content["n-samples"]["winobias_clean_direct"]["original"] = 3168
    results.write_text(json.dumps(content), "utf-8")
    assert read(limited).partial == "limited: 20 of 3168 prompts asked"


def test_a_line_that_was_cut_off_is_named(write_run: Write) -> None:
    path = write_run(pairs=2)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ResultsError, match=r"line 8: not JSON .*truncated"):
        read(path)


def test_bytes_that_are_no_text(write_run: Write) -> None:
    path = write_run(pairs=1)
    path.write_bytes(path.read_bytes() + b"\xff\xfe\x00")
    with pytest.raises(ResultsError, match="line 5: not JSON"):
        read(path)


def test_an_empty_file(write_run: Write) -> None:
    path = write_run()
    path.write_text("\n", "utf-8")
    with pytest.raises(ResultsError, match="empty"):
        read(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.pop("doc"), "no sample of a sociolect task"),
        (lambda s: s["doc"].pop("pair_id"), "no sample of a sociolect task"),
        (lambda s: s["doc"].pop("gold"), "no gold"),
        (lambda s: s["doc"].update(gold="0", order=None), "gold '0', order None"),
        (lambda s: s["doc"].update(pair_valid=1), "pair_valid 1"),
        (lambda s: s["doc"].update(gold=2), "order 0, gold 2"),
        (lambda s: s["doc"].update(order=3), "order 3, gold 0"),
        (lambda s: s["doc"].update(options=[3, 4]), r"options \[3, 4\]"),
        (lambda s: s["doc"].update(form="essay"), "form is 'essay', but 'direct'"),
        (lambda s: s["doc"].update(level=20), "level is 20, but 0 in the first line"),
        (lambda s: s["doc"].update(data_sha256="f" * 64), "data_sha256 is 'ffff"),
        (lambda s: s["doc"].update(answer_mode="strict"), "answer_mode is 'strict'"),
        (lambda s: s["doc"].update(id="winobias/type1/0000/pro", order=0), "occurs twice"),
        (lambda s: s.update(filter="other"), "two filters, 'all' and 'other'"),
        (lambda s: s.pop("filtered_resps"), "no filtered_resps"),
        (lambda s: s.update(filtered_resps=[[3, 4]]), "cannot be read"),
    ],
)
def test_a_wrong_line_is_named_with_what_is_wrong(
    write_run: Write, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    path = write_run(pairs=3)
    edit(path, 6, change)
    with pytest.raises(ResultsError, match=message) as error:
        read(path)
    assert f"{path}, line 7" in str(error.value)


def test_an_item_whose_two_prompts_disagree(write_run: Write) -> None:
    path = write_run(pairs=2)
    edit(path, 5, lambda s: s["doc"].update(gold=1))
    with pytest.raises(ResultsError, match="line 6: winobias/type1/0001/pro has another pair"):
        read(path)


def test_log_likelihoods_that_do_not_fit_the_options(write_run: Write) -> None:
    path = write_run(form="ll", pairs=2)
    edit(path, 1, lambda s: s.update(filtered_resps=s["filtered_resps"][:1]))
    with pytest.raises(ResultsError, match=r"line 2: .*1 log-likelihoods for 2 options"):
        read(path)


def test_a_filter_that_drops_answers_is_noticed(write_run: Write) -> None:
    path = write_run(task_config={"repeats": 10})
    with pytest.raises(ResultsError, match="5 answers, but 10 were sampled"):
        read(path)


def test_results_of_another_task(write_run: Write) -> None:
    path = write_run()
    other = path.rename(path.with_name(path.name.replace("clean", "l2_5")))
    with pytest.raises(ResultsError, match="knows no task winobias_l2_5_direct"):
        read(other)


def test_more_prompts_than_the_run_asked(write_run: Write) -> None:
    with pytest.raises(ResultsError, match="do not belong together"):
        read(write_run(pairs=3, effective=4))


def of_two(pair: int, member: str, order: int, sample: int) -> int:
    return int(member == "anti" and pair < 1)


@pytest.mark.parametrize("figures", [{"bias,all": 50.0, "acc_pro,all": 100.0}, {"bias,none": 1.0}])
def test_answers_that_give_the_figures_of_the_results(
    write_run: Write, figures: dict[str, float]
) -> None:
    assert read(write_run(pairs=2, answer=of_two, figures=figures)).records


@pytest.mark.parametrize("written", [50.00001, "NaN", [], float("nan")])
def test_answers_of_another_run_under_its_name(write_run: Write, written: object) -> None:
    path = write_run(pairs=2, answer=of_two, figures={"acc_pro,all": 100.0, "bias,all": written})
    with pytest.raises(ResultsError, match=r"give bias 50\.000000, but results_.* says") as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_nothing_answered_is_no_figure_in_both(write_run: Write) -> None:
    nothing = {"bias,all": float("nan"), "unanswered,all": 100.0}
    assert read(write_run(pairs=2, answer=lambda *_: -1, figures=nothing)).records


def test_figures_are_not_of_answers_read_otherwise_or_interrupted(write_run: Write) -> None:
    answer = r"\boxed{A: the carpenter}"
    figures = {"unanswered,all": 0.0}
    path = write_run(form="reason", pairs=2, answer=lambda *_: answer, figures=figures)
    assert read(path, strict=True).unanswered == 40
    other = {"doc": {"answer_mode": "strict"}, "benchmark": "bbq_gender", "folder": "b"}
    path = write_run(form="reason", pairs=2, answer=lambda *_: answer, figures=figures, **other)
    with pytest.raises(ResultsError, match=r"give unanswered 100\.0"):
        read(path, strict=True)
    path = write_run(pairs=2, folder="c", effective=99, figures={"bias,all": 1.0})
    assert read(path).partial.startswith("interrupted")


def test_the_change_of_noisy_texts_is_kept(write_run: Write) -> None:
    change = {"token_change": 0.5, "char_distance": 0.25, "length_ratio": 1}
    run = read(write_run(pairs=1, doc=change))
    assert run.changes == dict.fromkeys(run.items, (0.5, 0.25, 1.0))
    assert read(write_run(folder="other", pairs=1)).changes == {}


@pytest.mark.parametrize("value", [None, "0.5", float("nan"), -0.1, True])
def test_a_change_that_is_no_number(write_run: Write, value: object) -> None:
    path = write_run(pairs=1, doc={"token_change": 0.5, "char_distance": value, "length_ratio": 1})
    with pytest.raises(ResultsError, match=r"line 1: .* not three numbers"):
        read(path)
