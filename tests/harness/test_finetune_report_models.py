"""Which model each of the three options means."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolect.generators.errors import InvalidInputError, ResultsError
from sociolect.harness.finetune_report_models import ROLES, Role, assign, find_models, labels

from .finetune_runs import BASE, Study, Write, counted


@pytest.fixture(params=["hf", "vllm"])
def study(write_run: Write, tmp_path: Path, request: pytest.FixtureRequest) -> Study:
    """With vLLM, lm-eval puts the runs of a model and its adapters into one folder."""
    written = Study(write_run, tmp_path, backend=request.param)
    for number, (role, answers) in enumerate(counted().items()):
        folder = role if request.param == "hf" else "org__tiny"
        time = f"2026-03-0{number + 1}T05-06-07.1"
        written.runs({role: answers}, pairs=4, folder=folder, time=time)
    return written


def times(models: dict[Role, object]) -> list[str]:
    return [model.runs[0].files.time[:10] for model in models.values()]


def chosen(study: Study, *names: str) -> list[str]:
    given = {role: [name] for role, name in zip(ROLES, names, strict=True)}
    return times(assign([study.out], given))


RIGHT = ["2026-03-01", "2026-03-02", "2026-03-03"]


def test_models_in_one_place_by_name(study: Study) -> None:
    adapters = [str(study.adapter(role)) for role in ROLES[1:]]
    assert labels(find_models([study.out])) == [BASE, "clean", "errors"]
    assert chosen(study, BASE, "clean", "errors") == RIGHT
    assert chosen(study, "tiny", "lora/clean", "lora/errors/") == RIGHT
    assert chosen(study, BASE, *adapters) == RIGHT


def test_an_adapter_by_another_path_to_it(
    study: Study, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for role in ROLES[1:]:
        study.record(role)
    (tmp_path / "link").symlink_to(study.adapter("ft_clean"))
    monkeypatch.chdir(tmp_path)
    assert chosen(study, BASE, "link", "./lora/errors") == RIGHT


def test_models_by_the_files_of_their_runs(study: Study) -> None:
    given = {
        role: [str(p) for p in sorted(study.out.glob(f"*/samples_*2026-03-0{day}*"))]
        for day, role in enumerate(ROLES, start=1)
    }
    assert times(assign([], given)) == RIGHT


def test_an_unknown_name_lists_the_models(study: Study) -> None:
    with pytest.raises(ResultsError) as caught:
        chosen(study, BASE, "claen", "errors")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("--ft-clean claen: no model of this name, and no path.")
    assert [line.split(" (")[0] for line in lines[1:]] == [f"  {BASE}", "  clean", "  errors"]


def test_a_name_of_several(study: Study, write_run: Write) -> None:
    other = Study(write_run, study.root / "again", backend=study.backend)
    other.out = study.out
    other.runs(
        {"ft_clean": counted()["ft_clean"]}, pairs=4, folder="other", time="2026-03-09T05-06-07.1"
    )
    with pytest.raises(ResultsError, match="--ft-clean clean: names several models"):
        chosen(study, BASE, "clean", "errors")
    assert chosen(study, BASE, "again/lora/clean", "errors")[1] == "2026-03-09"


def test_a_folder_of_several_models_needs_names(study: Study) -> None:
    given = {role: [str(study.out)] for role in ROLES}
    with pytest.raises(ResultsError, match=r"--base .*: holds runs of several models; .*first arg"):
        assign([], given)


def test_one_model_twice(study: Study) -> None:
    with pytest.raises(InvalidInputError, match="--ft-clean and --ft-errors are the same model, "):
        chosen(study, BASE, "errors", "errors")
    with pytest.raises(InvalidInputError, match="--base and --ft-clean are the same model, org/ti"):
        chosen(study, BASE, BASE, "errors")


def test_a_role_without_a_model(study: Study) -> None:
    with pytest.raises(InvalidInputError, match="no model for FT errors: give --ft-errors"):
        assign([study.out], {"base": [BASE], "ft_clean": ["clean"], "ft_errors": []})


def test_no_path(study: Study) -> None:
    with pytest.raises(ResultsError, match="nowhere: no such file or folder"):
        assign([], {"base": ["nowhere"], "ft_clean": ["a"], "ft_errors": ["b"]})


def test_models_of_one_name_are_told_apart_by_label(write_run: Write, tmp_path: Path) -> None:
    for day, backend in enumerate(("hf", "sociolect-hf"), start=1):
        Study(write_run, tmp_path, backend).run(
            "base", "clean", pairs=2, time=f"2026-03-0{day}T05-06-07.1"
        )
    found = find_models([tmp_path / "out"])
    assert labels(found) == [f"{BASE} (backend hf)", f"{BASE} (backend sociolect-hf)"]


def test_a_file_of_another_project(tmp_path: Path, write_run: Write) -> None:
    path = write_run(pairs=2)
    path.write_text('{"doc": {"text": "x"}}\n', "utf-8")
    with pytest.raises(ResultsError, match="line 1: no sample of a sociolect task"):
        find_models([path])
