"""A steered model and its control, beside the adapters or in their place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from sociolect.generators.errors import InvalidInputError, NotComparableError
from sociolect.harness.commands.finetune_report import report_command
from sociolect.harness.finetune_report import Report, report
from sociolect.harness.finetune_report_exports import render_json, report_rows
from sociolect.harness.finetune_report_models import ROLES, Role, assign
from sociolect.harness.finetune_report_text import notes, render_markdown, render_tex, render_text
from sociolect.harness.paired import Method

from .finetune_runs import L2_30, QUICK, Study, Write, counted, outcome, wrong

VECTORS: Mapping[Role, str] = {"steered": "fit/vector.safetensors", "control": "fit/random.st"}
# Units whose answer changes, of 20: clean and errored.
COUNTS: Mapping[Role, tuple[int, int]] = {"steered": (0, 2), "control": (0, 8)}


class Steered(Study):
    """Writes runs of steered models too."""

    def arguments(self, role: Role) -> dict[str, str]:
        if role not in VECTORS:
            return super().arguments(role)
        steering = {"steering": VECTORS[role], "beta": "0.6"}
        return {"pretrained": "org/tiny", "dtype": "float32", **steering}

    def report_on(self, *roles: Role, method: Method = QUICK) -> Report:
        models = assign((), {role: [str(self.out / role)] for role in roles})
        return report(models, L2_30, method)


@pytest.fixture
def study(write_run: Write, tmp_path: Path) -> Steered:
    written = Steered(write_run, tmp_path)
    written.runs(counted(), pairs=20)
    written.runs({r: (wrong(a), wrong(b)) for r, (a, b) in COUNTS.items()}, pairs=20)
    return written


def test_tests_worked_by_hand(study: Steered) -> None:
    method = Method(permutations=20_000, resamples=99)
    found = outcome(study.report_on(*ROLES, *VECTORS, method=method), "bias")
    deltas = {key: row.test.delta for key, row in found.steered.items() if row.test}
    # Each changed pair is 5 points of bias. Base 0 and 8 pairs, FT errors 2 and 3.
    assert deltas == pytest.approx(
        {
            ("clean", "control"): 0,
            ("clean", "base"): 0,
            ("clean", "ft_errors"): -10,
            ("errored", "control"): -30,
            ("errored", "base"): -30,
            ("errored", "ft_errors"): -5,
            ("increase", "control"): -30,
            ("increase", "base"): -30,
            ("increase", "ft_errors"): 5,
        }
    )
    row = found.steered["errored", "base"]
    assert row.test is not None
    assert row.test.p == pytest.approx(2 / 2**6, abs=0.01)  # six pairs changed, all in one way
    tests = [*found.against.values(), *found.steered.values()]
    smallest = min((one.test for one in tests if one.test), key=lambda test: test.p)
    assert smallest.p_holm == pytest.approx(min(1, 15 * smallest.p))


def test_base_and_a_steered_model_are_enough(study: Steered) -> None:
    found = study.report_on("base", "steered")
    assert list(found.models) == ["base", "steered"]
    assert {other for _, other in outcome(found, "bias").steered} == {"base"}
    assert outcome(found, "bias").against == {}
    text = " ".join(render_text(found).split())
    assert "Steered against the others" in text
    assert "FT errors" not in text
    assert "Holm over the 3 tests of Steered" in text
    assert "Of Steered, †: p < 0.05 against Base. –" in text
    assert "training" not in "".join(notes(found, plain=True))


def test_marks_say_from_whom_a_value_differs(study: Steered) -> None:
    study.runs({"steered": (wrong(0), wrong(0)), "control": (wrong(0), wrong(9))}, pairs=20)
    found = study.report_on(*ROLES, *VECTORS)
    shown = next(x for x in render_text(found).splitlines() if x.strip().startswith("Steered "))
    assert shown.split() == ["Steered", "0.00", "0.00*†", "+0.00*†"]
    row = next(x for x in render_markdown(found).splitlines() if x.startswith("| Steered"))
    assert row == "| Steered | 0.00 | **0.00** † | **+0.00** † |"
    legend = "\n".join(notes(found, plain=True))
    assert "Of FT errors, *: p < 0.05 against FT clean; †: p < 0.05 against Base." in legend
    assert (
        "Of Steered, *: p < 0.05 against Control; †: p < 0.05 against Base; ‡: p < 0.05 against "
        "FT errors." in legend
    )
    assert "Steered" in render_tex(found)


def test_exports_hold_the_steered_model(study: Steered) -> None:
    found = study.report_on(*ROLES, *VECTORS)
    document = json.loads(render_json(found))
    assert {one["role"] for one in document["table"]} == {*ROLES, *VECTORS}
    pairs = {(r["role"], r["baseline_role"]) for r in report_rows(found) if r["test"] == "between"}
    assert pairs == {
        ("ft_errors", "ft_clean"),
        ("ft_errors", "base"),
        ("steered", "control"),
        ("steered", "base"),
        ("steered", "ft_errors"),
    }


def again(study: Steered, role: Role, **arguments: Any) -> None:
    for condition in ("clean", "l2-30"):
        study.run(role, condition, pairs=20, answer=wrong(1), arguments=arguments)


@pytest.mark.parametrize(
    ("role", "arguments", "said"),
    [
        ("steered", {"beta": "0"}, "beta=0, which steers nothing"),
        ("steered", {"pretrained": "org/other"}, "org/tiny / org/other"),
        ("steered", {"max_length": "512"}, "max_length None / 512"),
        ("base", {"steering": "x.safetensors", "beta": "1"}, "the first was run steered"),
    ],
)
def test_what_differs_in_more_than_steering_is_refused(
    study: Steered, role: Role, arguments: dict[str, str], said: str
) -> None:
    again(study, role, **arguments)
    with pytest.raises(NotComparableError, match=said):
        study.report_on("base", "steered")


@pytest.mark.parametrize("arguments", [{"beta": "0.05"}, {"beta": "0.6", "beta_scale": "residual"}])
def test_a_control_of_another_strength_is_refused(
    study: Steered, arguments: dict[str, str]
) -> None:
    again(study, "control", **arguments)
    with pytest.raises(NotComparableError, match="Steered / Control: steered at two strengths"):
        study.report_on("base", "steered", "control")
    allowed = Method(permutations=99, resamples=99, allow=frozenset({"model_args"}))
    (subject,) = study.report_on("base", "steered", "control", method=allowed).subjects
    assert any("Steered / Control: model_args" in note for note in subject.comparison.notes)


def test_a_scale_that_is_spelt_out_is_the_same_strength(study: Steered) -> None:
    again(study, "control", beta="0.6", beta_scale="unit")
    assert study.report_on("base", "steered", "control").subjects


def test_an_unsteered_model_is_not_taken_for_a_steered_one(study: Steered) -> None:
    other = Study(study.write, study.root)
    other.run("ft_clean", "clean", pairs=20, answer=wrong(1), folder="plain")
    other.run("ft_clean", "l2-30", pairs=20, answer=wrong(1), folder="plain")
    models = assign((), {"base": [str(study.out / "base")], "steered": [str(study.out / "plain")]})
    with pytest.raises(NotComparableError, match="without and with steering"):
        report(models, L2_30, QUICK)


def test_a_vector_that_changed_between_the_runs_is_refused(study: Steered) -> None:
    later = "2026-03-05T05-06-07.123456"
    study.run("steered", "l2-30", pairs=20, answer=wrong(2), time=later)

    def held(sha: str, results: Path) -> None:
        files = {"steering": {"vector.safetensors": [9, sha]}}
        record = {"results": results.name, "model_files": files}
        name = results.name.replace("results", "sociolect")
        results.with_name(name).write_text(json.dumps(record), "utf-8")

    first, second = sorted((study.out / "steered").glob("results_*.json"))
    held("a" * 64, first)
    held("a" * 64, second)
    assert study.report_on("base", "steered").subjects
    held("b" * 64, second)
    with pytest.raises(NotComparableError, match="steered by a file that changed"):
        study.report_on("base", "steered")
    allowed = Method(permutations=99, resamples=99, allow=frozenset({"model"}))
    notes_of = study.report_on("base", "steered", method=allowed).notes
    assert any("file that changed" in note for note in notes_of)


@pytest.mark.parametrize(
    ("roles", "lacking"),
    [
        (("base",), "--ft-clean"),
        (("base", "ft_errors", "steered"), "--ft-clean"),
        (("base", "control"), "--steered"),
        (("steered",), "--base"),
    ],
)
def test_a_role_that_is_needed_is_named(
    study: Steered, roles: tuple[Role, ...], lacking: str
) -> None:
    with pytest.raises(InvalidInputError, match=lacking):
        study.report_on(*roles)


def test_models_in_one_folder_are_named_by_their_vector(study: Steered) -> None:
    given = {"base": ["org/tiny"], "steered": ["fit/vector.safetensors"], "control": ["random.st"]}
    models = assign([study.out], given)
    assert models["steered"].name == "fit/vector.safetensors"
    found = report(models, L2_30, QUICK)
    assert list(found.models) == ["base", "steered", "control"]
    assert len(set(found.models.values())) == 3


def test_the_command_takes_steered_and_control(study: Steered) -> None:
    app = typer.Typer()
    app.command()(report_command)
    given = [str(study.out), "--base", "org/tiny", "--steered", "fit/vector.safetensors"]
    given += ["--control", "random.st", "--permutations", "99"]
    result = CliRunner().invoke(app, given)
    assert result.exception is None, result.exception
    assert "Control: org/tiny (beta 0.6, steering fit/random.st)" in result.stdout
    assert "Steered against the others" in result.stdout
