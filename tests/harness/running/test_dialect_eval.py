"""`sociolect eval` on the tasks of the dialect audit."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sociolect.generators.dialect.folder import write_folder
from sociolect.generators.dialect.manifest import assemble
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.errors import DataError, InvalidInputError, ResultsError, UnknownNameError
from sociolect.harness import requested
from sociolect.harness.candidates import our_runs
from sociolect.harness.document_traps import asked_numbers, cut_pairs
from sociolect.harness.dry_counts import TokenCounter, count_task
from sociolect.harness.evaluate import run
from sociolect.harness.requested import find_tasks, load_documents
from sociolect.harness.run_options import RunOptions, TaskFacts
from sociolect.harness.run_reports import report_one_sided, report_unanswered
from sociolect.harness.traps import check
from sociolect.tasks.dialect import documents, prompts
from sociolect.tasks.dialect.catalogue import TASKS, tag_members
from sociolect.tasks.paths import tasks_path

QUIET = RunOptions(model_args={"pretrained": "x"}, output_path="out", log_samples=True)


@pytest.fixture(autouse=True)
def pairs(tmp_path, monkeypatch):
    """Three segmented pairs, the first with a back-translation."""
    written = []
    for number, word in enumerate(("rain", "snow", "wind")):
        aae = f"We was finna leave in the {word} but it ain't stop none"
        sae = f"We were about to leave in the {word} but it did not stop at all"
        pair = DialectPair(f"p{number}", aae, sae, "" if number else f"{aae} tho")
        written.append(Segmented(pair, Boundaries(aae.index(" but"), sae.index(" but"))))
    folder = tmp_path / "pairs"
    write_folder(assemble(written, name="made up"), folder)
    monkeypatch.setenv("SOCIOLECT_AAE", str(folder))
    documents.clear_memo()
    yield folder
    documents.clear_memo()


def facts(name):
    (task,) = find_tasks([name]).tasks
    return task


def test_names_are_found_in_their_own_folder():
    found = find_tasks(["aae", "aae_choice_*_prompted"])
    assert {task.name for task in found.tasks} == {
        *tag_members()["aae"],
        *tag_members()["aae_choice_prompted"],
    }
    assert len(found.manager.all_subtasks) == len(TASKS)
    assert not found.others
    assert all(task.is_dialect and not task.is_judge for task in found.tasks)


def test_a_misspelt_name_has_near_matches(monkeypatch):
    monkeypatch.setattr(requested, "tasks_path", lambda: tasks_path() / "aae")
    with pytest.raises(UnknownNameError, match=r"'aae_sentimnt'; near matches: aae_sentiment"):
        find_tasks(["aae_sentimnt"])


def test_documents_are_loaded_for_the_task_that_is_named():
    asked = [facts(name) for name in ("aae_sentiment", "aae_choice_best")]
    found = load_documents(asked, {"answer_mode": "strict", "pretrained": "x"})
    assert {name: len(docs) for name, docs in found.items()} == {
        "aae_sentiment": 7,
        "aae_choice_best": 12,
    }
    assert found["aae_sentiment"][0]["answer_mode"] == "strict"


def test_a_chat_template_is_refused_only_where_a_sentence_goes_on():
    chat = replace(QUIET, apply_chat_template=True)
    for name in ("aae_sentiment", "aae_sentiment_ll_prompted", "aae_choice_best"):
        assert check(chat, [facts(name)]) == []
    (finding,) = check(chat, [facts("aae_sentiment"), facts("aae_continuation_prompted")])
    assert finding.severity == "refuse"
    assert "aae_continuation_prompted scores how a sentence goes on" in finding.message
    assert check(QUIET, [facts("aae_continuation")]) == []
    instruct = replace(QUIET, model_args={"pretrained": "org/Model-Instruct"})
    (finding,) = check(instruct, [facts("aae_continuation"), facts("aae_sentiment")])
    assert finding.message.startswith("aae_continuation takes no chat template")
    assert check(instruct, [facts("aae_sentiment")]) == []


def test_the_command_that_shows_the_figures_is_named():
    (finding,) = check(replace(QUIET, log_samples=False), [facts("aae_sentiment")])
    assert "`sociolect dialect report` needs --output_path FOLDER" in finding.message


def test_a_chat_server_gives_no_likelihoods():
    served = replace(QUIET, model="local-chat-completions", apply_chat_template=True)
    said = " ".join(finding.message for finding in check(served, [facts("aae_choice_best")]))
    assert "Leave aae_choice_best out, or --model local-completions" in said
    said = " ".join(
        finding.message for finding in check(served, [facts("aae_sentiment_ll_prompted")])
    )
    assert "Use the generation task, aae_sentiment_prompted" in said


@pytest.mark.parametrize(
    ("task", "limit", "cut"),
    [
        ("aae_sentiment", 3, ""),
        ("aae_sentiment", 5, ""),
        ("aae_sentiment", 4, "p1"),
        ("aae_sentiment", 2, "p0"),
        ("aae_continuation", 4, ""),
        ("aae_continuation", 5, "p2"),
        ("aae_choice_best", 8, ""),
        ("aae_choice_best", 100, ""),
        ("aae_choice_best", 0.5, "p1"),
    ],
)
def test_cut_pairs(task, limit, cut):
    asked = facts(task)
    found = list(cut_pairs(replace(QUIET, limit=limit), asked, load_documents([asked])[task]))
    assert [f"({cut})" in finding.message for finding in found] == [True] * bool(cut)
    assert check(replace(QUIET, limit=int(limit) or 1), [asked]) == []


def test_samples_may_cut_several_pairs():
    asked = facts("aae_continuation")
    options = replace(QUIET, samples={"aae_continuation": [0, 2, 4, 5]})
    (finding,) = cut_pairs(options, asked, load_documents([asked])["aae_continuation"])
    assert finding.severity == "warning"
    assert "--samples cuts through pairs of aae_continuation (p0 and 1 more)" in finding.message
    assert asked_numbers(options, asked, 6) == [0, 2, 4, 5]


def test_tasks_of_benchmarks_have_their_own_check():
    task = TaskFacts("winobias_clean", data_arguments={"sociolect_benchmark": "winobias"})
    assert list(cut_pairs(replace(QUIET, limit=1), task, [{"id": "a"}, {"id": "a"}])) == []


def test_a_dry_run_counts_what_is_read():
    asked = facts("aae_continuation")
    docs = load_documents([asked])["aae_continuation"]
    counter = TokenCounter(lambda texts: sum(map(len, texts)), "characters")
    count = count_task(asked, docs, replace(QUIET, limit=2), counter)
    assert (count.prompts, count.answers) == (4, 0)
    texts = [text for doc in list(docs)[:2] for text in prompts.requests(doc)]
    assert count.prompt_tokens == sum(map(len, texts))


def test_what_is_unanswered_is_said(capsys):
    for share in (0.1, 0.25, 1.0):
        figures = {"unanswered,all": share, "dgi,all": 0.5}
        results = {"results": {"aae_sentiment": figures}}
        report_unanswered(results, [facts("aae_sentiment")])
        assert report_one_sided(results, [facts("aae_sentiment")]) == []
    said = capsys.readouterr().err
    assert said.count("sociolect: warning") == 2
    assert "aae_sentiment: 25.0 % of the answers name no option. Its other figures are" in said
    assert "there is no agreement or preference to report" in said
    assert "never gives the label alone (try aae_sentiment_ll)" in said


def test_nobody_is_asked_for_an_option_of_a_continuation(capsys):
    results = {"results": {"aae_continuation": {"unanswered,all": 0.5, "lp,all": 0.5}}}
    report_unanswered(results, [facts("aae_continuation")])
    said = capsys.readouterr().err
    assert "50.0 % of the pairs lack one of their four log-likelihoods" in said
    assert "option" not in said


def test_without_pairs_no_model_is_loaded(monkeypatch):
    monkeypatch.delenv("SOCIOLECT_AAE")
    with pytest.raises(DataError, match="sociolect dialect build"):
        run(["--model", "hf", "--model_args", "pretrained=none", "--tasks", "aae_continuation"])


def test_a_run_with_a_chat_template_is_refused_before_the_pairs_are_read(monkeypatch):
    monkeypatch.delenv("SOCIOLECT_AAE")
    asked = ["--model_args", "pretrained=none", "--tasks", "aae_continuation"]
    with pytest.raises(InvalidInputError, match="figures of replies"):
        run([*asked, "--apply_chat_template"])


@pytest.mark.slow
def test_a_run_of_all_tasks(tiny_llamas, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)  # read at import
    model = [
        "--model",
        "sociolect-hf",
        "--model_args",
        f"pretrained={tiny_llamas[0]},dtype=float32",
    ]
    out = ["--device", "cpu", "--output_path", str(tmp_path / "out"), "--log_samples"]
    run([*model, *out, "--tasks", "aae", "aae_continuation_prompted", "--batch_size", "4"])
    assert "PROMPTS" not in capsys.readouterr().err
    (results,) = (tmp_path / "out").rglob("results_*.json")
    figures = json.loads(results.read_text())["results"]
    assert set(figures) == {*tag_members()["aae"], "aae_continuation_prompted"}
    for name in ("aae_continuation", "aae_choice_best", "aae_sentiment_ll"):
        assert figures[name]["unanswered,all"] == 0
    (record,) = (tmp_path / "out").rglob("sociolect_*.json")
    told = json.loads(record.read_text())["tasks"]["aae_continuation"]
    assert {"data_sha256", "local_data", "task_format"} <= set(told)


def test_comparing_points_to_the_report_of_the_audit(tmp_path):
    time = "2026-01-01T00-00-00.000000"
    (tmp_path / f"results_{time}.json").write_text('{"results": {}, "configs": {}, "config": {}}')
    sample = {"doc": {"id": "p0", "benchmark": "aae"}}
    (tmp_path / f"samples_aae_continuation_{time}.jsonl").write_text(json.dumps(sample) + "\n")
    with pytest.raises(ResultsError, match=r"dialect audit \(aae_continuation\).*dialect report"):
        our_runs(tmp_path)
