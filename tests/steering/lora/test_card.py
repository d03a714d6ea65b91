"""The card says what the adapter is, in valid metadata, and nothing of the machine."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from sociolect.steering.lora.card import adapter_card, escaped
from sociolect.steering.lora.settings import Settings

MANIFEST: dict[str, Any] = {"licence": "CC BY", "settings": {"levels": [5, 10]}}


def record(**changes: Any) -> dict[str, Any]:
    return {
        "prompt_set": "errors",
        "prompts_sha256": "p" * 64,
        "settings": Settings(max_length=8192, dtype="bfloat16").as_dict(),
        "base": {"identity": "commit 123"},
        "data": {
            "form": "reason",
            "examples": 8978,
            "too_long": ["a/0"],
            "not_verbatim": 2,
            "targets_sha256": "t" * 64,
            "order_sha256": "o" * 64,
        },
        "machine": {"device": "cuda, NVIDIA H200", "processes": 2},
        "modules": ["a.q_proj", "b.q_proj"],
        "patterns": ["q_proj"],
        "parameters": 8_030_261_248,
        "steps": 562,
        "losses": {"first": 0.51234, "last": 0.25, "mean": 0.3},
        **changes,
    }


def card(base: str = "org/model", on_hub: bool = True, **changes: Any) -> str:
    return adapter_card(record(**changes), MANIFEST, base=base, on_hub=on_hub)


def front_matter(text: str) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(text.split("---\n")[1])
    return read


def test_it_names_base_data_settings_losses_and_commands() -> None:
    text = card()
    assert front_matter(text)["base_model"] == "org/model"
    for said in (
        "peft=FOLDER",
        "lora_local_path=FOLDER,max_lora_rank=16",
        "pretrained=org/model",
        "| examples | 8978 |",
        "licence: CC BY",
        "error level of 5 or 10 %",
        "| learning_rate | 0.0001 |",
        "| first step | 0.5123 |",
        "(identity: commit 123)",
        "t" * 64,
        "p" * 64,
        "with learner errors and answers",
        "plain text, without a chat template",
        "on 2\nprocesses (cuda, NVIDIA H200)",
        "one base model",
        "synthetic",
    ):
        assert said in text, said
    assert "supports no finding" not in text


def test_the_clean_one_says_that_it_is() -> None:
    assert "prompts without errors and answers" in card(prompt_set="clean")


def test_a_small_model_shows_plumbing() -> None:
    assert "134,515,008 parameters" in card(parameters=134_515_008)
    assert "supports no finding" in card(parameters=134_515_008)


def test_a_chat_template_is_said() -> None:
    manifest = {**MANIFEST, "settings": {"chat_template": True}}
    text = adapter_card(record(), manifest, base="x", on_hub=True)
    assert "--apply_chat_template" in text
    assert "5, 10, 20 or 30 %" in text


def test_vllm_is_named_only_where_it_can_load_the_adapter() -> None:
    assert "max_lora_rank=32" in card(settings=Settings(rank=17).as_dict())
    assert "lora_local_path" not in card(settings=Settings(rank=513).as_dict())


@pytest.mark.parametrize(
    "name", ["a: b", "- x", "*bold* `code` [link](http://x)", "<b>x</b>", "a|b\n# head", "{{ 1 }}"]
)
def test_odd_names_break_neither_metadata_nor_text(name: str) -> None:
    text = card(base=name)
    assert front_matter(text)["base_model"] == name
    body = text.split("---\n", 2)[2]
    assert f"# {escaped(name)}, adapter" in body
    assert "pretrained=BASE" in body
    assert "\n# head" not in body
    assert "<b>" not in body
    local = card(base=name, on_hub=False)
    assert "base_model" not in front_matter(local)


def test_it_says_how_many_errored_prompts_have_no_error() -> None:
    kept = {"prompts_without_an_error": 7, "by_level": {"5": level(8, 0.031), "30": level(2, 0.3)}}
    manifest = MANIFEST | {"kept": kept}
    text = adapter_card(record(), manifest, base="org/model", on_hub=True)
    assert "| examples whose prompt drew no error | 7 |" in text
    assert "| error level 5 % | 8 examples, mean error rate 3.1 % |" in text
    clean = adapter_card(record(prompt_set="clean"), manifest, base="org/model", on_hub=True)
    assert "drew no error" not in clean


def level(examples: int, rate: float) -> dict[str, float]:
    return {"examples": examples, "mean_error_rate": rate}


@pytest.mark.parametrize("kept", [None, [], {"prompts_without_an_error": "x"}, {"by_level": 5}])
def test_a_manifest_that_was_edited_ends_no_training(kept: Any) -> None:
    text = adapter_card(record(), MANIFEST | {"kept": kept}, base="org/model", on_hub=True)
    assert "drew no error" not in text
