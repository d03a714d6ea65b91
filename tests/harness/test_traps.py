from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from sociolect.generators.redaction import is_secret
from sociolect.harness.run_options import Finding, RunOptions, TaskFacts
from sociolect.harness.secret_trap import secret_trap
from sociolect.harness.traps import check

SAMPLING = {
    "until": [],
    "do_sample": True,
    "temperature": 0.7,
    "top_p": 0.9,
    "max_gen_toks": 2000,
}


def arguments(benchmark, form):
    return {"sociolect_benchmark": benchmark, "sociolect_form": form}


REASON = TaskFacts(
    "winobias_l2_30",
    repeats=5,
    generation_kwargs=SAMPLING,
    data_arguments=arguments("winobias", "reason"),
)
LL = TaskFacts(
    "winobias_l2_30_ll",
    output_type="multiple_choice",
    data_arguments=arguments("winobias", "ll"),
)
QUIET = RunOptions(
    model_args={"pretrained": "m"}, output_path="results", log_samples=True, batch_size="auto"
)
"""Arguments with nothing to say about."""


def found(options: RunOptions, *tasks: TaskFacts) -> list[Finding]:
    return check(options, tasks or (REASON,))


def only(options: RunOptions, *tasks: TaskFacts) -> Finding:
    (finding,) = found(options, *tasks)
    return finding


def test_usual_run_is_quiet():
    assert found(QUIET, REASON, LL) == []


def test_seed_of_generation_with_repeats_is_refused():
    options = replace(QUIET, gen_kwargs={"seed": 42})
    finding = only(options)
    assert finding.severity == "refuse"
    assert "seed=42" in finding.message
    assert "--model_args seed=" in finding.message
    assert found(options, replace(REASON, repeats=1)) == []
    assert found(options, LL) == []


def test_seed_zero_is_a_seed():
    assert only(replace(QUIET, gen_kwargs={"seed": 0})).severity == "refuse"


@pytest.mark.parametrize(
    ("model", "setting"), [("hf", {"do_sample": False}), ("vllm", {"temperature": 0})]
)
def test_greedy_repeats_are_reported(model, setting):
    finding = only(replace(QUIET, model=model, gen_kwargs=setting))
    assert finding.severity == "warning"
    assert "equal" in finding.message


def test_temperature_without_do_sample_and_cache_is_refused():
    task = replace(REASON, generation_kwargs={"temperature": 0.7})
    finding = only(replace(QUIET, use_cache="cache"), task)
    assert finding.severity == "refuse"
    assert "do_sample=true" in finding.message
    mended = replace(QUIET, use_cache="cache", gen_kwargs={"do_sample": True})
    assert only(mended, task).severity == "note"
    assert found(QUIET, task) == []


def test_sampled_answers_do_not_resume():
    options = replace(QUIET, use_cache="cache")
    assert "never reads them back" in only(options).message
    assert found(options, LL) == []


def test_other_names_of_the_token_limit_would_be_ignored():
    finding = only(replace(QUIET, gen_kwargs={"max_new_tokens": 100}))
    assert finding.severity == "refuse"
    assert "max_gen_toks=100" in finding.message
    assert found(replace(QUIET, gen_kwargs={"max_gen_toks": 100})) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("temperature", value) for value in ("abc", -1, math.inf, math.nan, None, True, 10**400)),
        *(("top_p", value) for value in ("abc", 0, 1.5, math.nan)),
        *(("max_gen_toks", value) for value in ("abc", 0, -4, 10.5, math.inf, None, True, [])),
    ],
)
def test_settings_that_are_no_numbers_are_refused(name, value):
    options = replace(
        QUIET, gen_kwargs={name: value}, model_args={"pretrained": "m", "max_length": 4096}
    )
    findings = [finding for finding in found(options) if finding.severity == "refuse"]
    assert [f"--gen_kwargs {name}={value} is not" in f.message for f in findings] == [True]
    assert found(options, LL) == []


@pytest.mark.parametrize(
    "setting", [{"temperature": 1}, {"temperature": 0.3}, {"top_p": 1}, {"max_gen_toks": 16}]
)
def test_settings_that_are_numbers_are_fine(setting):
    assert found(replace(QUIET, gen_kwargs=setting)) == []


@pytest.mark.parametrize("name", ["max_model_len", "max_length"])
def test_short_context_is_reported(name):
    finding = only(replace(QUIET, model_args={"pretrained": "m", name: 2048}))
    assert finding.severity == "warning"
    assert "48 tokens" in finding.message
    assert found(replace(QUIET, model_args={"pretrained": "m", name: 4096})) == []
    assert (
        found(
            replace(
                QUIET, model_args={"pretrained": "m", name: 2048}, gen_kwargs={"max_gen_toks": 500}
            )
        )
        == []
    )


def test_short_context_of_a_local_model_is_read_from_its_config(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"max_position_embeddings": 2048}))
    assert "2048" in only(replace(QUIET, model_args={"pretrained": str(tmp_path)})).message
    (tmp_path / "config.json").write_text("{")
    assert found(replace(QUIET, model_args={"pretrained": str(tmp_path)})) == []


def test_cached_prompts_are_refused():
    assert "--cache_requests" in only(replace(QUIET, cache_requests=True)).message


@pytest.mark.parametrize("numbers", [[9, 2, 5], [2, 2, 3]])
def test_unsorted_sample_numbers_are_refused(numbers):
    findings = found(replace(QUIET, samples={REASON.name: numbers}))
    assert findings[0].severity == "refuse"
    assert str(sorted(set(numbers))) in findings[0].message


@pytest.mark.parametrize("numbers", [[], "0-3", [0, "1"], [-1, 0], [True]])
def test_sample_numbers_must_be_a_list_of_numbers(numbers):
    assert only(replace(QUIET, samples={REASON.name: numbers})).severity == "refuse"


def test_samples_that_cut_pairs_are_reported():
    assert found(replace(QUIET, samples={REASON.name: [4, 5, 6, 7, 12, 13, 14, 15]})) == []
    finding = only(replace(QUIET, samples={REASON.name: [0, 1, 2, 4]}))
    assert finding.severity == "warning"
    assert "4 documents" in finding.message
    assert found(replace(QUIET, samples={LL.name: [2, 3]}), LL) == []
    assert "2 documents" in only(replace(QUIET, samples={LL.name: [1, 2]}), LL).message


def test_samples_without_a_requested_task_are_reported():
    finding = only(replace(QUIET, samples={"winobias_12_30": [0, 1, 2, 3]}))
    assert "all of it will run" in finding.message


def test_samples_that_are_no_mapping_are_refused():
    assert only(replace(QUIET, samples="missing.json")).severity == "refuse"


@pytest.mark.parametrize(
    ("limit", "tasks", "quiet"),
    [
        (8, (REASON, LL), True),
        (6, (LL,), True),
        (6, (REASON,), False),
        (3, (LL,), False),
        (0.1, (LL,), False),
    ],
)
def test_limit_keeps_pairs_whole(limit, tasks, quiet):
    findings = found(replace(QUIET, limit=limit), *tasks)
    assert [f.severity for f in findings] == ([] if quiet else ["warning"])


@pytest.mark.parametrize("limit", [0, -4, -0.5, math.nan, math.inf, "abc", True])
def test_limit_that_counts_nothing_is_refused(limit):
    finding = only(replace(QUIET, limit=limit))
    assert finding.severity == "refuse"
    assert f"--limit {limit} " in finding.message


def test_few_shot_is_refused():
    assert only(replace(QUIET, num_fewshot=5)).severity == "refuse"
    assert found(replace(QUIET, num_fewshot=0)) == []


def test_what_compare_needs():
    kept = only(replace(QUIET, log_samples=False)).message
    assert "`sociolect compare` needs --output_path FOLDER and --log_samples" in kept
    assert "only printed" in only(replace(QUIET, output_path=None, log_samples=False)).message


def test_chat_template_closes_prompts_that_the_model_should_continue():
    options = replace(QUIET, apply_chat_template=True)
    assert only(options, LL).severity == "warning"
    assert found(options, REASON) == []


def test_plain_prompts_for_an_instruct_model_are_fine():
    options = replace(QUIET, model_args={"pretrained": "org/Model-Instruct"})
    assert only(options).severity == "note"
    assert found(replace(options, apply_chat_template=True)) == []


JUDGE = TaskFacts("fable_typo_30", data_arguments=arguments("fable", "reason"))
JUDGE_LL = TaskFacts(
    "fable_labels_clean_ll",
    output_type="multiple_choice",
    data_arguments=arguments("fable_labels", "ll"),
)


def test_a_chat_template_is_right_for_judges_in_both_forms():
    options = replace(QUIET, apply_chat_template=True)
    assert found(options, JUDGE, JUDGE_LL) == []
    assert LL.name in only(options, JUDGE_LL, LL).message


def test_an_instruct_judge_is_asked_with_its_chat_template():
    options = replace(QUIET, model_args={"pretrained": "org/Model-Instruct"})
    finding = only(options, JUDGE)
    assert finding.severity == "note"
    assert "--apply_chat_template and writes its verdict (fable_typo_30)" in finding.message
    assert (
        "verdict (fable_labels_clean, not fable_labels_clean_ll)" in only(options, JUDGE_LL).message
    )
    judge, other = found(options, REASON, JUDGE)
    assert "fable_typo_30" in judge.message
    assert "plain prompts" not in judge.message
    assert "the protocol of winobias_l2_30" in other.message
    assert found(QUIET, JUDGE, JUDGE_LL) == []


def test_vllm_traps():
    vllm = replace(QUIET, model="vllm")
    assert found(vllm) == []
    assert "TQDM_DISABLE" in only(replace(vllm, environ={"TQDM_DISABLE": "1"})).message
    assert found(replace(vllm, environ={"TQDM_DISABLE": "0"})) == []
    assert "seed=N" in only(replace(vllm, seed=(7, 7, 7, 7))).message
    assert found(replace(vllm, seed=(7, 7, 7, 7), model_args={"pretrained": "m", "seed": 7})) == []
    assert (
        "coincide"
        in only(replace(vllm, model_args={"pretrained": "m", "data_parallel_size": 2})).message
    )
    assert found(replace(QUIET, seed=(7, 7, 7, 7), environ={"TQDM_DISABLE": "1"})) == []


def test_misspelt_metadata_is_refused():
    assert "error_seed" in only(replace(QUIET, metadata={"error_sed": 1})).message
    assert found(replace(QUIET, metadata={"error_seed": 1, "max_seq_lengths": [4096]})) == []


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"token": "abc"}, "token included"),
        ({"api_key": 123}, "api_key included"),
        ({"base_url": "http://h/v1?api_key=abc"}, "in base_url included"),
        ({"base_url": "http://u:abc@h/v1"}, "in base_url included"),
    ],
)
def test_secrets_in_model_args_are_refused(given, named):
    options = replace(QUIET, model_args={"pretrained": "m", **given})
    (finding,) = secret_trap(options)
    assert finding in found(options)
    assert finding.severity == "refuse"
    assert named in finding.message
    assert "HF_TOKEN" in finding.message
    assert "abc" not in finding.message


def test_what_is_no_secret_is_not_refused():
    assert (
        found(replace(QUIET, model_args={"pretrained": "m", "tokenizer": "abc", "token": True}))
        == []
    )


def test_refusals_come_first():
    options = replace(QUIET, log_samples=False, limit=3, num_fewshot=1)
    assert [f.severity for f in found(options)] == ["refuse", "warning", "note"]


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("token", True),
        ("hf_token", True),
        ("api_key", True),
        ("OPENAI_API_KEY", True),
        ("password", True),
        ("tokenizer", False),
        ("think_end_token", False),
        ("max_gen_toks", False),
    ],
)
def test_names_of_secrets(name, secret):
    assert is_secret(name) == secret


def test_options_of_lm_eval_config():
    config = pytest.importorskip("lm_eval.config.evaluate_config").EvaluatorConfig(
        model="vllm", model_args={"pretrained": "m"}, metadata={"pretrained": "m", "error_seed": 2}
    )
    options = RunOptions.from_config(config, {})
    assert options.metadata == {"error_seed": 2}
    assert options.seed == (0, 1234, 1234, 1234)
    assert options.on_vllm
    assert not options.cache_requests
    config.cache_requests = {"cache_requests": False, "delete_requests_cache": True}
    assert not RunOptions.from_config(config, {}).cache_requests
    config.cache_requests = {"cache_requests": True}
    assert RunOptions.from_config(config, {}).cache_requests


def test_temperature_zero_with_sampling_is_refused_for_transformers_only():
    cold = replace(QUIET, gen_kwargs={"temperature": 0})
    assert only(cold).severity == "refuse"
    assert "do_sample=False" in only(cold).message
    assert only(replace(cold, model="vllm")).severity == "warning"
    greedy = replace(QUIET, gen_kwargs={"temperature": 0, "do_sample": False})
    assert only(greedy).severity == "warning"


@pytest.mark.parametrize(
    ("benchmark", "form", "limit", "whole"),
    [
        ("bbq_gender", "reason", 6, True),
        ("bbq_gender", "reason", 5, False),
        ("bbq_gender", "ll", 5, True),
        ("mmlu", "reason", 5, True),
        ("winobias", "reason", 6, False),
    ],
)
def test_what_a_limit_keeps_whole_depends_on_the_benchmark(benchmark, form, limit, whole):
    task = TaskFacts(f"{benchmark}_clean", data_arguments=arguments(benchmark, form))
    said = [finding.message for finding in found(RunOptions(limit=limit), task)]
    messages = [message for message in said if "cuts through" in message]
    assert (messages == []) == whole
    assert all(("items" in m) == (benchmark != "winobias") for m in messages)
