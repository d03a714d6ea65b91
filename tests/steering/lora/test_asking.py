from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
import scripted_model
from scripted_model import ChatLM, ScriptedLM

from sociolect.generators.benchmarks import winogrande
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import ModelError
from sociolect.generators.variants import Variants
from sociolect.steering.lora.asking import check_context, complete, make_prompt, seeded

SOURCES = os.environ.get("SOCIOLECT_SOURCES")
SETTINGS = {"until": [], "do_sample": True, "max_gen_toks": 8}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return Variants(scripted_model.benchmark(copies=1)).config(Condition())[0]


def test_prompts_show_the_options_in_both_orders(rows: list[dict[str, Any]]) -> None:
    stored, swapped = (make_prompt(rows[0], "reason", order).text for order in (0, 1))
    assert stored.endswith("\nA: urn\nB: vase\nAnswer:")
    assert swapped.endswith("\nA: vase\nB: urn\nAnswer:")
    assert make_prompt(rows[0], "direct", 0).text.endswith("\nB: vase\nAnswer: \\boxed{")


def test_with_a_chat_template_the_box_is_opened_in_the_turn_of_the_model(
    rows: list[dict[str, Any]],
) -> None:
    chat = ChatLM().apply_chat_template
    reason = make_prompt(rows[0], "reason", 1, chat).text
    assert reason == f"<user>{make_prompt(rows[0], 'reason', 1).text}<assistant>"
    direct = make_prompt(rows[0], "direct", 1, chat).text
    plain = make_prompt(rows[0], "direct", 1).text.removesuffix(" \\boxed{")
    assert direct == f"<user>{plain}<assistant>\\boxed{{"


def test_chat_templates_that_cannot_be_used_are_refused(rows: list[dict[str, Any]]) -> None:
    def closing(turns: Any, add_generation_prompt: bool) -> str:
        return f"{turns}<end>"

    with pytest.raises(ModelError, match="closes the turn"):
        make_prompt(rows[0], "direct", 0, closing)
    assert make_prompt(rows[0], "reason", 0, closing).text.endswith("<end>")
    with pytest.raises(ModelError, match="--chat-template"):
        make_prompt(rows[0], "reason", 0, ScriptedLM().apply_chat_template)


def test_a_tokenizer_without_a_chat_template_is_refused(rows: list[dict[str, Any]]) -> None:
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"a": 0})))

    def as_lm_eval(turns: Any, add_generation_prompt: bool) -> Any:
        return tokenizer.apply_chat_template(turns, tokenize=False)

    with pytest.raises(ModelError, match="chat template"):
        make_prompt(rows[0], "reason", 0, as_lm_eval)


def test_prompts_beyond_the_context_are_refused(rows: list[dict[str, Any]]) -> None:
    prompts = [make_prompt(row, "reason", 0) for row in rows]
    lengths = [len(prompt.text.split()) for prompt in prompts]
    longest = rows[lengths.index(max(lengths))]["id"]
    check_context(ScriptedLM(max_length=max(lengths) + 5), prompts, 5)
    check_context(object(), prompts, 10**9)
    with pytest.raises(ModelError, match=rf"{longest} has {max(lengths)} tokens.*--max-tokens"):
        check_context(ScriptedLM(max_length=max(lengths) + 4), prompts, 5)


def test_every_prompt_is_one_request_that_is_asked_several_times(
    rows: list[dict[str, Any]],
) -> None:
    model = ScriptedLM(lambda doc, sample, right: f"{doc['id']} {doc['order']} {sample}")
    prompts = [make_prompt(row, "reason", order) for row in rows for order in (0, 1)]
    texts = complete(model, prompts, 3, SETTINGS, "some_task")
    assert texts == [
        [f"{p.doc['id']} {p.doc['order']} {sample}" for sample in range(3)] for p in prompts
    ]
    assert len(model.asked) == 3 * len(prompts)
    for at in range(0, len(model.asked), 3):
        first, second, third = model.asked[at : at + 3]
        assert first is second is third
        assert first.args == (prompts[at // 3].text, SETTINGS)
        assert (first.task_name, first.doc_id, first.repeats) == ("some_task", at // 3, 3)
        assert first.doc["benchmark"] == "winogrande_train"
    assert model.asked[0].args[1] is not model.asked[3].args[1]


def test_another_number_of_answers_is_an_error(rows: list[dict[str, Any]]) -> None:
    class Short(ScriptedLM):
        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
            return super().generate_until(requests)[1:]

    with pytest.raises(ModelError, match="2 answers to 1 prompts asked 3 times"):
        complete(Short(), [make_prompt(rows[0], "reason", 0)], 3, SETTINGS, "t")


def test_torch_is_seeded_for_the_while() -> None:
    import torch

    before, state = torch.get_rng_state(), random.getstate()
    with seeded(2**63 - 1):
        first = torch.rand(3)
    with seeded(2**63 - 1):
        assert torch.equal(torch.rand(3), first)
    with seeded(1):
        assert not torch.equal(torch.rand(3), first)
    assert torch.equal(torch.get_rng_state(), before)
    assert random.getstate() == state


@pytest.mark.skipif(not SOURCES, reason="SOCIOLECT_SOURCES names no folder of source files")
@pytest.mark.parametrize("chat", [False, True])
@pytest.mark.parametrize("form", ["reason", "direct"])
def test_prompts_are_those_of_the_evaluation(
    form: str, chat: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the validation items: what lm_eval makes of the task is what is made here."""
    from lm_eval.tasks import TaskManager

    from sociolect.tasks.paths import tasks_path

    assert SOURCES
    monkeypatch.setenv("SOCIOLECT_SOURCES", SOURCES)
    name = "winogrande_clean" + ("" if form == "reason" else f"_{form}")
    manager = TaskManager(include_path=str(tasks_path() / "winogrande"), include_defaults=False)
    task = manager.load([name])["tasks"][name]
    template = ChatLM().apply_chat_template
    task.build_all_requests(apply_chat_template=chat, chat_template=template if chat else None)
    asked = [(one.doc["id"], one.doc["order"], one.args[0]) for one in task.instances]
    rows = Variants(winogrande.load(Path(SOURCES))).config(Condition())[0]
    used = template if chat else None
    made = [make_prompt(row, form, order, used) for row in rows for order in (0, 1)]
    assert [(p.doc["id"], p.doc["order"], p.text) for p in made] == asked
