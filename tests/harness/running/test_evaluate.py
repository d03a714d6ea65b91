from __future__ import annotations

import json
from pathlib import Path

import lm_eval
import lm_eval.tasks
import pytest
from typer.testing import CliRunner

from sociolect.generators.errors import (
    InvalidInputError,
    LevelUnreachableError,
    ModelError,
    ResultsError,
    UnknownNameError,
)
from sociolect.harness import evaluate, lm_eval_run, requested, run_reports
from sociolect.harness.cli import app
from sociolect.harness.evaluate import build_parser, merged_config, run
from sociolect.harness.own_arguments import take_arguments
from sociolect.harness.requested import find_tasks
from sociolect.tasks import cells

CLEAN, L2, CLOZE = "occupations_mini_clean", "occupations_mini_l2_20", "occupations_mini_l2_20_ll"
MINE = "task: {name}\noutput_type: generate_until\nrepeats: 3\n"


@pytest.fixture
def no_core(monkeypatch):
    """Fail when lm_eval's big index is built."""
    manager = lm_eval.tasks.TaskManager

    def small(*args, include_defaults=True, **kwargs):
        assert not include_defaults, "the index of lm_eval's own tasks was built"
        return manager(*args, include_defaults=False, **kwargs)

    monkeypatch.setattr(lm_eval.tasks, "TaskManager", small)


@pytest.fixture
def core(monkeypatch, tmp_path):
    """Stand-in for lm_eval's own tasks; their index is small."""
    folder = tmp_path / "core"
    folder.mkdir()
    (folder / "arc.yaml").write_text("task: arc_easy\noutput_type: multiple_choice\n")
    (folder / "wino.yaml").write_text("task: winogrande\noutput_type: multiple_choice\n")
    manager = lm_eval.tasks.TaskManager

    def with_core(include_path=None, include_defaults=True, metadata=None):
        folders = [str(folder), *include_path] if include_defaults else include_path
        return manager(include_path=folders, include_defaults=False, metadata=metadata)

    monkeypatch.setattr(lm_eval.tasks, "TaskManager", with_core)
    return folder


def parsed(*arguments):
    namespace = build_parser().parse_args(arguments)
    take_arguments(namespace)
    return namespace


def test_help_is_lm_evals_with_ours_before_it():
    result = CliRunner().invoke(app, ["eval", "--help"])
    assert result.exit_code == 0
    text = result.stdout
    assert text.index("usage: sociolect eval") < text.index("--use_cache gets one")
    assert text.index("--use_cache gets one") < text.index("--apply_chat_template")
    assert "lm-eval run" not in text


def test_no_arguments_show_the_help():
    assert CliRunner().invoke(app, ["eval"]).exit_code == 2


def test_arguments_reach_lm_eval_unchanged(monkeypatch):
    seen = []
    monkeypatch.setattr(evaluate, "run", lambda arguments: seen.extend(arguments))
    arguments = ["-M", "hf", "-a", "a=1,b=2", "c=[1,2]", "--tasks", "x", "y", "-L", "4", "-s"]
    assert CliRunner().invoke(app, ["eval", *arguments]).exit_code == 0
    assert seen == arguments


def test_arguments_that_lm_eval_refuses():
    namespace = parsed("--tasks", CLEAN, "--log_samples")
    with pytest.raises(InvalidInputError, match="--output_path"):
        merged_config(namespace)


def test_config_file_and_command_line_are_merged(tmp_path, capsys):
    path = tmp_path / "run.yaml"
    path.write_text(f"tasks: [{CLEAN}]\nmodel: vllm\nlimit: 8\ninclude_path: [/a, /b]\n")
    config = merged_config(parsed("-C", str(path), "--model", "dummy"))
    assert (config.model, config.tasks, config.limit) == ("dummy", [CLEAN], 8)
    assert config.include_path == ["/a", "/b"]
    assert capsys.readouterr() == ("", "")


def test_our_tasks_do_not_need_the_big_index(no_core):
    found = find_tasks([L2, CLOZE])
    assert [task.name for task in found.tasks] == [L2, CLOZE]
    assert not found.others
    reason, cloze = found.tasks
    assert (reason.repeats, reason.unit_docs) == (5, 4)
    assert reason.generation_kwargs["temperature"] == 0.7
    assert (cloze.by_likelihood, cloze.unit_docs) == (True, 2)
    assert cloze.data_arguments["sociolect_condition"] == "l2-20"


def test_patterns_tags_and_paths_are_found_too(no_core):
    levels = {f"occupations_mini_l2_{level}" for level in (5, 10, 20, 30)}
    tagged = {task.name for task in find_tasks(["occupations_mini_l2"]).tasks}
    assert tagged == levels | {CLEAN}
    matched = {task.name for task in find_tasks(["occupations_mini_l2_?0"]).tasks}
    assert matched == {name for name in levels if name.endswith("0")}
    path = requested.tasks_path() / "occupations_mini" / f"{L2}.yaml"
    assert [task.name for task in find_tasks([str(path)]).tasks] == [L2]
    assert len(find_tasks([CLEAN, "occupations_mini_l2"]).tasks) == len(levels) + 1


def test_tasks_of_the_users_folder_are_kept(no_core, tmp_path):
    (tmp_path / "mine.yaml").write_text(MINE.format(name="mine"))
    found = find_tasks(["mine", L2], [str(tmp_path)])
    assert [task.name for task in found.tasks] == [L2]
    assert found.others
    assert found.include_path[1] == str(tmp_path)


def test_misspelt_name_is_answered_at_once(no_core):
    with pytest.raises(UnknownNameError, match=r"near matches: .*occupations_mini_l2_20") as caught:
        find_tasks(["occupations_mini_l2_2O"])
    assert caught.value.exit_code == 2


def test_level_out_of_reach_names_the_ceiling(no_core, monkeypatch, tmp_path):
    ceilings = {"data_version": "1.0.0", "ceilings": {"l2-30": 24.3}}
    monkeypatch.setattr(cells, "_table", lambda: {"occupations_mini": ceilings})
    monkeypatch.setattr(requested, "tasks_path", lambda: tmp_path)  # where no task file is
    with pytest.raises(LevelUnreachableError, match=r"24\.3 %"):
        find_tasks(["occupations_mini_l2_30"])


def test_tasks_of_lm_eval_are_found_with_its_index(core):
    found = find_tasks(["arc_easy", L2])
    assert [task.name for task in found.tasks] == [L2]
    assert found.others
    assert find_tasks(["arc_easy"]).tasks == ()


def test_pattern_that_may_match_tasks_of_lm_eval_uses_its_index(core):
    found = find_tasks(["win*"])
    assert "winogrande" in found.manager.task_index
    assert found.others


@pytest.mark.parametrize(
    ("spec", "number"), [("mmlu_l2*", 92), ("sociolect_gender_l2_ll", 15), ("degen_*_clean_ll", 3)]
)
def test_our_patterns_need_no_other_index(spec, number):
    found = find_tasks([spec])
    assert len(found.tasks) == number
    assert not found.others


def test_unknown_name(core):
    with pytest.raises(UnknownNameError, match="unknown task 'arc_eazy'"):
        find_tasks(["arc_eazy"])


def test_nothing_asked_for():
    with pytest.raises(InvalidInputError, match="--tasks"):
        find_tasks([])


def test_task_and_its_group_are_refused_before_the_model_loads(no_core, tmp_path):
    (tmp_path / "group.yaml").write_text(f"group: mine\ntask: [{L2}, {CLOZE}]\n")
    assert len(find_tasks(["mine"], [str(tmp_path)]).tasks) == 2
    with pytest.raises(InvalidInputError, match="asked for twice"):
        find_tasks([L2, "mine"], [str(tmp_path)])


def test_run_leaves_results_and_a_record(offline, tmp_path, capsys, no_core):
    run(["--model", "dummy", "--tasks", CLOZE, L2, "--limit", "8", "-o", str(tmp_path), "-s"])
    (record,) = tmp_path.rglob("sociolect_*.json")
    record = json.loads(record.read_text())
    assert record["tasks"].keys() == {CLOZE, L2}
    assert record["tasks"][L2]["data_version"] == "1.0.0"
    assert len(record["tasks"][L2]["data_sha256"]) == 64
    assert record["model_files"] == {}
    error = capsys.readouterr().err
    assert f"NOT ONE ANSWER of {L2}" in error
    assert CLOZE not in error.partition("NOT ONE ANSWER")[2].partition(".")[0]


def test_answers_that_lm_eval_could_not_write_are_an_error(offline, tmp_path, monkeypatch):
    execute = evaluate.run_lm_eval

    def full(namespace, found):
        kept = execute(namespace, found)
        (samples,) = tmp_path.rglob("samples_*.jsonl")
        samples.write_bytes(samples.read_bytes()[:-9])
        return kept

    monkeypatch.setattr(evaluate, "run_lm_eval", full)
    with pytest.raises(ResultsError, match=r"samples_.*: ends within line 2 of 2"):
        run(["--model", "dummy", "--tasks", CLOZE, "--limit", "2", "-o", str(tmp_path), "-s"])


def test_the_record_is_of_the_run_not_of_another_one_beside_it(offline, tmp_path, monkeypatch):
    other = tmp_path / "~other" / "results_9999-01-01T00-00-00.json"
    execute = evaluate.run_lm_eval

    def beside(namespace, found):
        kept = execute(namespace, found)
        other.parent.mkdir(exist_ok=True)
        other.write_text(json.dumps(kept.results | {"date": 1.0}, default=str))
        return kept

    monkeypatch.setattr(evaluate, "run_lm_eval", beside)
    run(["--model", "dummy", "--tasks", CLOZE, "--limit", "2", "-o", str(tmp_path)])
    (record,) = tmp_path.rglob("sociolect_*.json")
    written = json.loads(record.read_text())["results"]
    assert written != other.name
    assert (record.parent / written).exists()


def test_results_whose_path_has_brackets_are_found(offline, tmp_path):
    out = tmp_path / "out[1]" / "r[x].json"
    run(["--model", "dummy", "--tasks", CLOZE, "--limit", "2", "-o", str(out)])
    assert len(list(out.parent.iterdir())) == 2


def test_nothing_of_lm_eval_stays_replaced(offline, monkeypatch, capsys):
    manager, function = lm_eval.tasks.TaskManager, lm_eval.simple_evaluate
    run(["--model", "dummy", "--tasks", CLOZE, "--limit", "2"])

    def fail(*_, **__):
        raise RuntimeError("no such kernel")

    monkeypatch.setattr("lm_eval.models.dummy.DummyLM.loglikelihood", fail)
    dummy = ["--model", "dummy", "--tasks", CLOZE, "--limit", "2"]
    with pytest.raises(ModelError, match="--model dummy stopped: RuntimeError: no such kernel"):
        run(dummy)
    raised = 'raise RuntimeError("no such kernel")'
    assert raised not in capsys.readouterr().err
    with pytest.raises(ModelError):
        run([*dummy, "--verbosity", "DEBUG"])
    assert raised in capsys.readouterr().err
    assert lm_eval.tasks.TaskManager is manager
    assert lm_eval.simple_evaluate is function


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gen_kwargs", "seed=3"], "seed=3"),
        (["--num_fewshot", "2"], "zero-shot"),
        (["--cache_requests"], "--cache_requests"),
        (["--samples", json.dumps({L2: [3, 1]})], "ascending"),
        (["--samples", json.dumps({L2: [1_000_000]})], "has"),
        (["--metadata", "error_sed=1"], "error_seed"),
        (["--metadata", "error_seed=1.5"], "whole number"),
        (["--metadata", '{"error_seed": Infinity}'], "whole number, 0 or more"),
        (["--metadata", '{"error_seed": 1e400}'], "whole number, 0 or more"),
        (["--metadata", "error_seed=-1"], "whole number, 0 or more"),
        *((["--limit", limit], "no number of documents") for limit in ("0", "nan", "inf")),
        (["--limit=-4"], "no number of documents"),
        (["--gen_kwargs", "temperature=abc"], "temperature=abc is not"),
        (["--gen_kwargs", "max_gen_toks=abc"], "max_gen_toks=abc is not"),
        (["--limit", "4", "--samples", json.dumps({L2: [0]})], "does not accept"),
    ],
)
def test_traps_end_the_command_before_a_model_loads(offline, arguments, message, no_core):
    with pytest.raises(InvalidInputError, match=message) as caught:
        run(["--model", "no such model", "--tasks", L2, *arguments])
    assert caught.value.exit_code == 2


def test_traps_are_only_for_our_tasks(core, offline):
    with pytest.raises(UnknownNameError, match="unknown model backend"):
        run(["--model", "no such model", "--tasks", "arc_easy", "--num_fewshot", "2"])


def test_cache_of_other_tasks_keeps_its_name(core, offline, monkeypatch):
    seen = []

    def fake(namespace, found):
        seen.append(namespace.use_cache)
        return lm_eval_run.Kept()

    monkeypatch.setattr(evaluate, "run_lm_eval", fake)
    run(["--model", "dummy", "--tasks", "arc_easy", "--use_cache", "mine"])
    run(["--model", "dummy", "--tasks", CLOZE, "--use_cache", "mine"])
    assert seen[0] == "mine"
    assert seen[1].startswith("mine-")


def test_results_that_could_not_be_written_are_an_error(offline, tmp_path, monkeypatch):
    execute = evaluate.run_lm_eval

    def full(namespace, found):
        kept = execute(namespace, found)
        (results,) = tmp_path.rglob("results_*.json")
        results.unlink()
        return kept

    monkeypatch.setattr(evaluate, "run_lm_eval", full)
    with pytest.raises(ResultsError, match="could not write"):
        run(["--model", "dummy", "--tasks", CLOZE, "--limit", "2", "-o", str(tmp_path)])


def test_partly_unanswered_runs_are_reported(capsys):
    facts = find_tasks([L2]).tasks
    results = {"results": {L2: {"unanswered,all": 35.04, "unanswered_stderr,all": 1.0}}}
    run_reports.report_unanswered(results, facts)
    assert "35.0 % of the answers name no option" in capsys.readouterr().err
    results["results"][L2]["unanswered,all"] = 4.0
    run_reports.report_unanswered(results, facts)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("task", "advice"),
    [
        (L2, f"(try {L2}_direct or {L2}_ll)"),
        (f"{L2}_direct", f"(try {L2}_ll)"),
        (f"{L2}_both", "boxes an option; or"),
    ],
)
def test_advice_without_an_answer_names_other_forms_that_exist(task, advice, capsys):
    results = {"results": {task: {"unanswered,all": 100.0}}}
    run_reports.report_unanswered(results, find_tasks([task]).tasks)
    assert advice in capsys.readouterr().err


@pytest.mark.parametrize(
    ("bias", "one_sided"), [(100.0, True), (-100.0, True), (98.6, False), (float("nan"), False)]
)
def test_a_run_in_which_every_answer_agrees_is_told(bias, one_sided, capsys):
    task = "degen_gender_clean_ll"
    results = {"results": {task: {"bias,all": bias, "bias_stderr,all": 100.0}}}
    said = run_reports.report_one_sided(results, find_tasks([task]).tasks)
    assert bool(said) == one_sided
    assert ("favours the same side" in capsys.readouterr().err) == one_sided


@pytest.mark.parametrize(("share", "one_sided"), [(0.0, True), (100.0, True), (3.1, False)])
def test_a_judge_that_always_says_the_same_is_told(share, one_sided, capsys):
    task = "fable_control_clean"
    results = {"results": {task: {"directional,all": share, "directional_stderr,all": 0.0}}}
    said = run_reports.report_one_sided(results, find_tasks([task]).tasks)
    assert bool(said) == one_sided
    assert ("every verdict is NONE, or" in capsys.readouterr().err) == one_sided


def test_a_judge_without_a_verdict_is_not_told_of_boxes(capsys):
    results = {"results": {"fable_clean": {"unanswered,all": 100.0}}}
    run_reports.report_unanswered(results, find_tasks(["fable_clean"]).tasks)
    said = capsys.readouterr().err
    assert "gives the label alone (try fable_clean_ll)" in said
    assert "no share of verdicts to report" in said


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("nonsense.yaml", None, "is no file"),
        ("nonsense.yaml", "- a list", "is not a task file of lm_eval"),
        ("nonsense.yaml", "task: [", "is not a task file of lm_eval"),
        ("nonsense.yaml", "colour: red", "has no `task`"),
        ("nonsense.yaml", "task: x\ninclude: missing", "is not a task file of lm_eval"),
        ("", None, r"holds no task file \(\*\.yaml\)"),
    ],
)
def test_paths_without_a_task_are_refused(core, tmp_path, name, content, message):
    folder = tmp_path / "mine"
    folder.mkdir()
    if content is not None:
        (folder / name).write_text(content)
    with pytest.raises(InvalidInputError, match=message):
        find_tasks([str(folder / name)])


def test_a_folder_of_tasks_stands_alone(core, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mine.yaml").write_text(MINE.format(name="mine"))
    assert find_tasks([str(tmp_path / "mine")]).others
    with pytest.raises(InvalidInputError, match="takes alone only"):
        find_tasks([str(tmp_path / "mine"), L2])


def test_other_processes_of_a_distributed_run_are_silent(monkeypatch, capsys):
    monkeypatch.setenv("LOCAL_RANK", "1")
    run_reports.say("note", "hello")
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_second_model_does_not_read_the_answers_of_the_first(offline, tiny_llamas, tmp_path):
    def answers(name: str, model: Path, *cache: str) -> list[object]:
        out = tmp_path / name
        loaded = ["--model", "hf", "--model_args", f"pretrained={model},dtype=float32"]
        kept = ["--device", "cpu", "--output_path", str(out), "--log_samples"]
        run([*loaded, *kept, "--tasks", CLOZE, "--limit", "4", *cache])
        (samples,) = out.rglob("samples_*.jsonl")
        return [json.loads(line)["resps"] for line in samples.read_text().splitlines()]

    cache = ("--use_cache", str(tmp_path / "cache"))
    first, second = tiny_llamas
    one = answers("one", first, *cache)
    two = answers("two", second, *cache)
    assert two == answers("plain", second)
    assert one != two
    assert len(list(tmp_path.glob("cache-*.db"))) == 2
    assert answers("again", first, *cache) == one
    assert len(list(tmp_path.glob("cache-*.db"))) == 2


@pytest.mark.slow
def test_no_name_of_ours_is_one_of_lm_evals():
    manager = lm_eval.tasks.TaskManager
    ours = set(manager(include_path=str(requested.tasks_path()), include_defaults=False).all_tasks)
    assert ours
    assert not ours & {
        name
        for name, entry in manager().task_index.items()
        if entry.yaml_path is None or Path(entry.yaml_path).parent.name != "sociolect"
    }
