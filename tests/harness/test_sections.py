"""Several benchmarks, forms and models under some paths."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import (
    InvalidInputError,
    NotComparableError,
    ResultsError,
    UnknownNameError,
)
from sociolect.harness.compare import Method, compare_changes
from sociolect.harness.exports import render_csv, render_json
from sociolect.harness.remarks import remarks
from sociolect.harness.result_files import find_runs
from sociolect.harness.results import read_run
from sociolect.harness.sections import (
    Section,
    compare_sections,
    compare_with_model,
    read_section,
)
from sociolect.harness.selection import select_models, select_sections
from sociolect.harness.statistics import (
    bootstrap_interval,
    difference_of_differences,
    randomisation_test,
)
from sociolect.harness.tables import render_markdown, render_table, render_tex

Write = Callable[..., Path]
QUICK = Method(permutations=999, resamples=999)


def sections(*paths: Path) -> list[Section]:
    return [read_section(selection) for selection in select_sections(list(paths))]


def wrong_anti(*pairs: int) -> Callable[..., int]:
    return lambda pair, member, order, sample: int(pair in pairs and member != "pro")


def model(name: str, **arguments: str) -> dict[str, Any]:
    return {"config": {"model_args": {"pretrained": name, "dtype": "float32", **arguments}}}


@pytest.fixture
def folder(write_run: Write) -> Path:
    """Three benchmarks, one of them in two forms."""
    for benchmark, form in (
        ("winobias", "direct"),
        ("winobias", "ll"),
        ("bbq_gender", "direct"),
        ("mmlu", "direct"),
    ):
        write_run(benchmark=benchmark, form=form)
        clean = write_run(benchmark=benchmark, form=form, condition="l2-30", answer=wrong_anti(1))
    return clean.parent.parent


def test_a_folder_of_several_benchmarks_is_a_table_each(folder: Path) -> None:
    found = compare_sections(sections(folder), QUICK)
    assert [one.subject for one in found] == [
        "bbq_gender (gender) · direct",
        "mmlu · direct",
        "winobias (gender) · direct",
        "winobias (gender) · ll",
    ]
    assert [row.metric for one in found for row in one.rows] == ["bias", "acc", "bias", "bias"]
    text = render_table(*found)
    assert text.count("detectable unanswered %") == 4
    assert text.count("Holm over the tests of one model") == 1
    assert text.count("n: units, which are counterfactual pairs where there are pairs") == 1
    for one in found:
        assert f"org/tiny · {one.subject} · {one.rows[0].metric}\n" in text
        assert f"{one.subject}: data 1.0.0" in text
    assert render_markdown(*found).count("| --- |") == 4
    assert render_tex(*found).count(r"\begin{tabular}") == 4


def test_csv_and_json_hold_all_sections_in_one(folder: Path) -> None:
    found = compare_sections(sections(folder), QUICK)
    rows = list(csv.DictReader(io.StringIO(render_csv(*found))))
    assert [(row["benchmark"], row["form"], row["unit"]) for row in rows] == [
        ("bbq_gender", "direct", "item"),
        ("mmlu", "direct", "item"),
        ("winobias", "direct", "pair"),
        ("winobias", "ll", "pair"),
    ]
    document = json.loads(render_json(*found))
    assert document["method"]["metrics"] == ["bias", "acc"]
    assert [entry["role"] for entry in document["inputs"]] == ["clean", "errored"] * 4
    assert len(document["rows"]) == len(document["families"]) == 4


def test_metrics_are_asked_of_the_benchmarks_that_have_them(folder: Path) -> None:
    found = compare_sections(sections(folder), Method(metrics=("bias", "acc_pro")))
    assert [(one.clean.benchmark, len(one.rows)) for one in found] == [
        ("bbq_gender", 1),
        ("winobias", 2),
        ("winobias", 2),
    ]
    assert "It has no metric acc_pro." in remarks(found[0])
    assert "has no metric" not in " ".join(remarks(found[1]))
    assert "mmlu · direct: left out, it has no metric bias, acc_pro." in remarks(found[0])


def test_a_metric_that_no_benchmark_has(folder: Path) -> None:
    two = [s for s in sections(folder) if s.clean.benchmark in ("bbq_gender", "winobias")]
    with pytest.raises(UnknownNameError, match="unknown metric of bbq_gender, winobias 'acc'"):
        compare_sections(two, Method(metrics=("bias", "acc")))
    with pytest.raises(UnknownNameError, match="unknown metric of bbq_gender 'acc'"):
        compare_sections(two[:1], Method(metrics=("acc",)))


def test_what_lacks_a_clean_run_or_an_errored_one_is_named(folder: Path, write_run: Write) -> None:
    write_run(benchmark="degen_race", condition="l2-10")
    write_run(benchmark="winogrande")
    found = select_sections([folder])
    assert len(found) == 4
    notes = [note for selection in found for note in selection.notes]
    assert "not compared, without a clean run: degen_race_l2_10_direct" in notes
    assert "winogrande_clean_direct: no errored run to compare with it" in notes


def test_clean_folder_then_errored_folders(write_run: Write, tmp_path: Path) -> None:
    for benchmark in ("winobias", "mmlu"):
        write_run(root=tmp_path / "a", benchmark=benchmark)
        write_run(root=tmp_path / "b", benchmark=benchmark, condition="l2-30")
        last = write_run(root=tmp_path / "c", benchmark=benchmark, condition="l2-10")
    found = select_sections([tmp_path / "a", tmp_path / "b", last])
    assert [(s.clean.task, [run.task for run in s.others]) for s in found] == [
        ("mmlu_clean_direct", ["mmlu_l2_10_direct", "mmlu_l2_30_direct"]),
        ("winobias_clean_direct", ["winobias_l2_30_direct"]),
    ]
    foreign = write_run(root=tmp_path / "d", benchmark="winogrande", condition="l2-30")
    with pytest.raises(ResultsError, match=r"holds no clean run of its kind \(winogrande"):
        select_sections([tmp_path / "a", foreign])
    with pytest.raises(ResultsError, match="no errored run to compare with; found only mmlu_cl"):
        select_sections([tmp_path / "a"])


def test_models_of_one_folder_are_told_apart(write_run: Write) -> None:
    for number, options in enumerate((model("org/a"), model("org/b"), model("org/a", peft="x"))):
        for condition in ("clean", "l2-30"):
            path = write_run(folder=f"m{number}", condition=condition, **options)
    found = select_models([path.parent.parent])
    assert len(found) == 3
    assert len({selection.clean.samples for selection in found}) == 3
    assert len(select_models([path.parent.parent, path.parent])) == 3  # nothing counts twice


def test_models_in_one_subfolder_are_told_apart_by_their_arguments(write_run: Write) -> None:
    for day, options in enumerate((model("org/a"), model("org/a", steer="v.pt"))):
        for condition in ("clean", "l2-30"):
            time = f"2026-03-0{day + 1}T05-06-07.123456"
            path = write_run(condition=condition, time=time, **options)
    assert len(select_models([path.parent])) == 2


def test_no_clean_run_of_any_model(write_run: Write) -> None:
    path = write_run(condition="l2-30")
    with pytest.raises(ResultsError, match="no clean run among"):
        select_models([path.parent])


@pytest.fixture
def two_models(write_run: Write) -> Callable[..., tuple[Section, Section]]:
    def run(**options: Any) -> tuple[Section, Section]:
        groups = []
        for name, clean, errored in (
            ("org/base", wrong_anti(0), wrong_anti(0, 1, 2, 3, 4)),
            ("org/tuned", wrong_anti(5), wrong_anti(5, 6)),
        ):
            settings = {**model(name), "folder": name.replace("/", "__")}
            if name == "org/tuned":
                settings |= options
            paths = [
                write_run(answer=clean, **settings),
                write_run(answer=errored, condition="l2-30", **settings),
            ]
            first, other = (read_run(find_runs(path)[0]) for path in paths)
            groups.append(Section(first, [other]))
        return groups[0], groups[1]

    return run


def test_changes_of_two_models_by_hand(two_models: Callable[..., tuple[Section, Section]]) -> None:
    result = compare_changes(*two_models(), QUICK)
    (row,) = result.rows
    a0, a1, b0, b1 = (
        [100.0 * (p in wrong) for p in range(12)] for wrong in ({0}, {0, 1, 2, 3, 4}, {5}, {5, 6})
    )
    changes = difference_of_differences(a0, a1, b0, b1)
    assert row.test is not None
    assert row.test.clean == pytest.approx(100 * 4 / 12)
    assert row.test.errored == pytest.approx(100 * 1 / 12)
    assert row.test.delta == pytest.approx(changes.mean()) == pytest.approx(-25)
    assert row.test.p == randomisation_test(changes, permutations=999)
    assert (row.test.low, row.test.high) == bootstrap_interval(changes, resamples=999)
    assert (row.baseline.model, row.other.model) == ("org/base", "org/tuned")
    assert (row.baseline.pooled, row.other.pooled) == pytest.approx((400 / 12, 100 / 12))
    text = render_table(result)
    assert "org/base → org/tuned · winobias" in text
    assert "first Δ second Δ difference" in text
    assert "Allowed" not in text  # another model is the question, not a concession
    assert '"role": "against clean"' in render_json(result)
    assert ",True,12," in render_csv(result)


def test_only_the_model_may_differ_between_them(
    two_models: Callable[..., tuple[Section, Section]],
) -> None:
    other = {"config": {"model_args": {"pretrained": "org/tuned"}, "model_dtype": "torch.float16"}}
    with pytest.raises(NotComparableError, match=r"dtype: 'torch.float32' / 'torch.float16'"):
        compare_changes(*two_models(**other), QUICK)
    with pytest.raises(NotComparableError, match="sha256"):
        compare_changes(*two_models(doc={"data_sha256": "f" * 64}), QUICK)
    with pytest.raises(NotComparableError, match="ids"):
        compare_changes(*two_models(pairs=13), QUICK)


def test_conditions_of_one_model_only_are_named(
    two_models: Callable[..., tuple[Section, Section]], write_run: Write
) -> None:
    first, second = two_models()
    path = write_run(condition="l2-10", folder="org__base", **model("org/base"))
    first.others.append(read_run(find_runs(path)[0]))
    result = compare_changes(first, second, QUICK)
    assert len(result.rows) == 1
    assert any("org/base: l2-10 was not run on the other model" in r for r in remarks(result))
    with pytest.raises(InvalidInputError, match="l2-10 / l2-30"):
        compare_changes(Section(first.clean, first.others[1:]), second, QUICK)


def test_seeds_are_pooled_in_both_models(write_run: Write) -> None:
    groups = []
    for name, shift in (("org/base", 3), ("org/tuned", 1)):
        settings = {**model(name), "folder": name.replace("/", "__")}
        clean = read_run(find_runs(write_run(**settings))[0])
        others = []
        for seed in range(3):
            path = write_run(
                condition="l2-30",
                error_seed=seed,
                time=f"2026-03-04T05-06-0{seed}.1",
                answer=wrong_anti(*range(shift + seed)),
                **settings,
            )
            others.append(read_run(find_runs(path)[0]))
        groups.append(Section(clean, others))
    result = compare_changes(groups[0], groups[1], QUICK)
    row = result.rows[-1]
    assert row.error_seeds == (0, 1, 2)
    assert row.test is not None
    assert row.test.delta == pytest.approx(-100 * 2 / 12)
    assert row.spread is not None
    assert row.spread.deltas == pytest.approx([-100 * 2 / 12] * 3)


def test_sections_of_two_models_are_matched(folder: Path, write_run: Write, tmp_path: Path) -> None:
    root = tmp_path / "other"
    for condition in ("clean", "l2-30"):
        write_run(root=root, condition=condition, benchmark="mmlu", **model("org/tuned"))
    found, notes = compare_with_model(sections(folder), [root], QUICK)
    assert [one.subject for one in found] == ["mmlu · direct"]
    assert "only one of the two models was run on winobias (gender) · ll" in notes
    with pytest.raises(ResultsError, match="to compare changes with"):
        compare_with_model(sections(folder)[:1], [root], QUICK)
