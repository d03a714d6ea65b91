from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import InvalidInputError
from sociolect.harness import dry_checks
from sociolect.harness.dry_checks import checks
from sociolect.harness.dry_counts import TokenCounter, count_task
from sociolect.harness.dry_run import Report, dry_run
from sociolect.harness.evaluate import build_parser
from sociolect.harness.finished_answers import Finished, finished
from sociolect.harness.own_arguments import OwnArguments, add_arguments, take_arguments
from sociolect.harness.requested import Requested
from sociolect.harness.run_folders import place
from sociolect.harness.run_options import RunOptions, TaskFacts

WORDS = TokenCounter(lambda texts: sum(len(text.split()) for text in texts), "words")
OPTIONS = RunOptions(model="sociolect-hf", model_args={"pretrained": "org/m"}, output_path="out")


def facts(form: str, repeats: int = 5) -> TaskFacts:
    return TaskFacts(
        f"winobias_clean_{form}",
        output_type="multiple_choice" if form == "ll" else "generate_until",
        repeats=1 if form == "ll" else repeats,
        generation_kwargs={} if form == "ll" else {"max_gen_toks": 16},
        data_arguments={"sociolect_benchmark": "winobias", "sociolect_form": form},
    )


def documents(form: str, count: int) -> list[dict[str, Any]]:
    return [
        {
            "benchmark": "winobias",
            "form": form,
            "order": number % 2,
            "instruction": "Read.",
            "input": "The nurse saw the carpenter because she was late.",
            "question": 'Who is "she"?',
            "options": ["the nurse", "the carpenter"],
        }
        for number in range(count)
    ]


def counted(form: str, options: RunOptions = OPTIONS, count: int = 8) -> Any:
    return count_task(facts(form), documents(form, count), options, WORDS)


def test_sampled_tasks_are_counted_by_prompt_and_sample():
    found = counted("direct")
    assert (found.prompts, found.answers, found.most_tokens) == (8, 40, 640)
    assert found.prompt_tokens % 8 == 0
    longer = counted("direct", replace(OPTIONS, gen_kwargs={"max_gen_toks": 100}))
    assert longer.most_tokens == 4000


def test_scored_tasks_have_one_request_an_option():
    found = counted("ll")
    assert (found.prompts, found.answers, found.most_tokens) == (16, 0, 0)
    texts = len(["In", "this", "sentence,", "she", "refers", "to", "the", "nurse"])
    assert found.prompt_tokens >= 16 * texts


@pytest.mark.parametrize(
    ("change", "prompts"),
    [
        ({"limit": 3.0}, 3),
        ({"limit": 0.3}, 3),
        ({"limit": 99}, 8),
        ({"samples": {"winobias_clean_direct": [1, 2]}}, 2),
        ({"samples": {"another": [1, 2]}}, 8),
    ],
)
def test_a_part_of_the_documents(change, prompts):
    assert counted("direct", replace(OPTIONS, **change)).prompts == prompts


def chunk(folder: Path, task: str, number: int, name: str = "a" * 16, **head: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{task}-{number:05d}-{name}.jsonl"
    path.write_text(json.dumps({"prompts": 4, "tokens": 100, "seconds": 2.0, **head}) + "\n[]\n")
    return path


def test_finished_chunks_are_read_from_their_first_lines(tmp_path):
    key = tmp_path / "abc"
    chunk(key, "t", 0)
    chunk(key, "t", 1, prompts=2, tokens=50, seconds=1.5)
    chunk(key, "t_direct", 0)
    chunk(key, "t", 0, name="b" * 16, prompts=3)  # of a run over fewer documents
    chunk(key, "t", 2).write_text("{")  # damaged
    (key / "model.json").write_text("{}")
    (key / ".t-00003.part").write_text("")
    found = finished(tmp_path)
    assert found["t"] == Finished({0: 4, 1: 2}, tokens=150, seconds=3.5)
    assert found["t_direct"].prompts == 4
    assert finished(None) == finished(tmp_path / "none") == {}


def test_of_several_models_the_one_with_most_counts(tmp_path):
    chunk(tmp_path / "one", "t", 0)
    chunk(tmp_path / "two", "t", 0, prompts=5)
    assert finished(tmp_path)["t"].prompts == 5


@pytest.mark.parametrize(
    ("sizes", "total", "size", "ready"),
    [
        ({0: 4, 1: 4, 2: 2}, 10, None, 10),
        ({0: 4, 2: 2}, 10, 4, 6),
        ({0: 10}, 10, None, 10),
        ({0: 4}, 10, None, 0),  # a run with --limit 4, or the first chunk of this one
        ({0: 4}, 10, 4, 4),
        ({0: 4, 1: 1}, 10, None, 4),  # the last chunk of a run over five
        ({0: 10}, 8, None, 0),
        ({}, 8, None, 0),
    ],
)
def test_chunks_of_another_composition_are_asked_again(sizes, total, size, ready):
    assert Finished(sizes).of(total, size) == ready


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Report]:
    monkeypatch.setattr("sociolect.harness.dry_run.token_counter", lambda options: WORDS)
    monkeypatch.chdir(tmp_path)

    def run(form: str = "direct", others: bool = False, **own: Any) -> Report:
        task = facts(form)
        requested = Requested(None, [], (task,), others)
        docs: Mapping[str, Any] = {task.name: documents(form, 8)}
        return dry_run(place(OPTIONS), requested, docs, OwnArguments(dry_run=True, **own))

    return run


def test_hours_at_a_given_speed(report):
    text = report(tokens_per_second=2.0).text
    prompt_tokens = counted("direct").prompt_tokens
    read, written = prompt_tokens / 2 / 3600, 640 / 2 / 3600
    assert f"input {read:.2f} h + output {written:.2f} h = {read + written:.2f} h" in text
    assert "2 tokens/s (given); the most that the tasks allow (an upper bound)" in text
    text = report(tokens_per_second=2.0, tokens_per_answer=9, prompt_tokens_per_second=1e9).text
    assert f"input 0.00 h + output {40 * 9 / 2 / 3600:.2f} h" in text
    assert "9 tokens an answer" in text


def test_without_a_speed_the_report_says_how_to_measure(report):
    text = report().text
    assert "--limit 400" in text
    assert "words" in text


def test_speed_of_the_finished_chunks(report):
    answers = place(OPTIONS).answers
    assert answers is not None
    task = facts("direct").name
    chunk(answers / "abc", task, 0, prompts=4, tokens=200, seconds=20.0)
    text = report().text
    assert "10 tokens/s (measured over 20 finished answers" in text
    assert "10 tokens an answer" in text
    assert f"input 0.00 h + output {40 * 10 / 10 / 3600:.2f} h" in text
    chunk(answers / "abc", task, 1, prompts=4, tokens=200, seconds=20.0)
    assert "= 0.00 h" in report().text
    row = next(line.split() for line in report().text.splitlines() if line.startswith(task))
    assert row[1:4] == ["8", "8", "40"]


def test_tasks_that_are_not_ours_are_named_as_uncounted(report):
    assert "not counted" in report(others=True).text


def said(options: RunOptions) -> dict[str, str]:
    return {one.what: ("! " if one.problem else "") + one.said for one in checks(place(options))}


def named(model: str = "hf", **arguments: Any) -> RunOptions:
    return RunOptions(model=model, model_args=arguments)


def test_names_on_the_hub_are_taken_as_they_are_without_network(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert "not looked up (offline)" in said(named(pretrained="org/nowhere-at-all"))["model"]
    assert "! " in said(named(pretrained="./nowhere"))["model"]
    assert "! " in said(named(pretrained="not a name!"))["model"]
    assert "add pretrained=" in said(named())["model"]


def test_names_on_the_hub_are_looked_up_with_network(monkeypatch):
    import httpx
    from huggingface_hub.errors import RepositoryNotFoundError

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    answers: list[Any] = [object(), ConnectionError("down")]
    request = httpx.Request("GET", "https://example.org")
    answers.append(RepositoryNotFoundError("none", response=httpx.Response(404, request=request)))

    def model_info(self: object, name: str, **_: Any) -> object:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", model_info)
    model = named(pretrained="org/nowhere-at-all")
    assert said(model)["model"].endswith("on the Hub")
    assert "not looked up (ConnectionError)" in said(model)["model"]
    assert said(model)["model"].startswith("! ")


def test_misspelt_model_arguments():
    assert "did you mean dtype?" in said(named(pretrained="org/m", dtyp="x"))["arguments"]
    assert "unchecked" in said(named(pretrained="org/m", some_new_thing=1))["arguments"]
    vllm = named("sociolect-vllm", pretrained="org/m", max_modellen=3)
    assert "did you mean max_model_len?" in said(vllm)["arguments"]
    ours = named("sociolect-hf", pretrained="org/m", chunk=3, seed=1, peft="org/a")
    assert "arguments" not in said(ours)
    assert "org/a" in said(ours)["adapter"]


def test_a_backend_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(dry_checks, "find_spec", lambda name: None)
    assert "needs vllm, not installed" in said(named("vllm", pretrained="org/m"))["backend"]


def test_other_backends_have_no_model_to_check():
    assert set(said(named("dummy"))) == {"results"}


def test_arguments_are_taken_out_before_lm_eval_sees_them():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks")
    add_arguments(parser)
    namespace = parser.parse_args(["--tasks", "t", "--dry-run", "--tokens-per-second", "2.5"])
    assert take_arguments(namespace) == OwnArguments(dry_run=True, tokens_per_second=2.5)
    assert vars(namespace) == {"tasks": "t"}
    for text in ("0", "-1", "nan", "inf", "x"):
        with pytest.raises(SystemExit):
            parser.parse_args([f"--tokens-per-second={text}"])


@pytest.mark.parametrize("option", ["--model_args", "-a", "--gen_kwargs", "--metadata"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('{"pretrained":"p/model"', "is no JSON: Expecting ',' delimiter"),
        ("{pretrained", "is no JSON: Expecting property name"),
        ("[" * 100_000 + "{", "is no JSON"),
        ("pretrained=models/{a}", "A value that holds { is only taken as JSON"),
    ],
)
def test_broken_json_is_explained(option, value, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        build_parser().parse_args([option, value])
    assert str(caught.value).startswith(option)


def test_whole_json_is_taken():
    given = ["--model_args", '{"pretrained": "models/{a}", "n": 2}', "--gen_kwargs", "a=1", "b=x"]
    parsed = build_parser().parse_args(given)
    assert parsed.model_args == {"pretrained": "models/{a}", "n": 2}
    assert parsed.gen_kwargs == {"a": 1, "b": "x"}
