"""What changes an answer changes the identity, and nothing else does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sociolect.steering.backends import identity as module
from sociolect.steering.backends.identity import digest, model_identity


def key(**arguments: Any) -> str:
    return digest(model_identity("sociolect-vllm", arguments))


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    (tmp_path / "adapter_config.json").write_text("{}")
    (tmp_path / "adapter_model.safetensors").write_bytes(b"weights")
    (tmp_path / "README.md").write_text("card")
    return tmp_path


def test_where_answers_lie_does_not_matter() -> None:
    assert key(pretrained="m", answers="a", chunk=3) == key(pretrained="m", answers="b", chunk=4)


@pytest.mark.parametrize(
    "name", ["gpu_memory_utilization", "kv_cache_memory_bytes", "download_dir"]
)
def test_after_memory_ran_out_what_is_finished_stays(name: str) -> None:
    assert key(**{"pretrained": "m", name: 0.5}) == key(pretrained="m")


@pytest.mark.parametrize(
    "other", [{"pretrained": "n"}, {"dtype": "float32"}, {"lora_local_path": "x"}, {"seed": 2}]
)
def test_every_other_argument_matters(other: dict[str, Any]) -> None:
    assert key(**{"pretrained": "m", **other}) != key(pretrained="m")


def test_the_content_of_an_adapter_matters_and_its_card_does_not(adapter: Path) -> None:
    before = key(pretrained="m", lora_local_path=str(adapter))
    (adapter / "README.md").write_text("another card")
    (adapter / "training_log.jsonl").write_text("{}")
    assert key(pretrained="m", lora_local_path=str(adapter)) == before
    (adapter / "adapter_model.safetensors").write_bytes(b"weightz")
    assert key(pretrained="m", lora_local_path=str(adapter)) != before


def test_large_files_are_told_apart_by_size_and_time(
    adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_HASHED_BYTES", 3)
    files = model_identity("hf", {"peft": str(adapter)})["files"]["peft"]
    stat = (adapter / "adapter_model.safetensors").stat()
    assert files["adapter_model.safetensors"] == [7, stat.st_mtime_ns]


def test_no_secret_is_in_it() -> None:
    found = model_identity(
        "hf", {"pretrained": "m", "token": "hf_abc", "hf_token": "x", "api_key": 1}
    )
    assert "hf_abc" not in json.dumps(found)
    assert found["arguments"] == {"pretrained": "m"}


@pytest.mark.parametrize("name", ["add_bos_token", "think_end_token", "prefix_token_id"])
def test_arguments_about_tokens_are_no_secrets(name: str) -> None:
    assert key(**{"pretrained": "m", name: "1"}) != key(pretrained="m")


@pytest.mark.parametrize(
    "given",
    [
        {"model_loader_extra_config": {"token": "abc", "deep": [{"aws_secret_access_key": "abc"}]}},
        {"revision": "hf_abcdefghij"},
        {"base_url": "https://user:abc@host/v1"},
        {"base_url": "https://host/v1?api_key=abc"},
        {"base_url": "https://host/v1?version=1&key=abc"},
        {"secret": "abc"},
        {"header": {"Cookie": "abc", "Ocp-Apim-Subscription-Key": "abc"}},
        {"header": "Cookie: abc"},
    ],
)
def test_no_secret_is_in_nested_values_either(given: dict[str, Any]) -> None:
    found = json.dumps(model_identity("hf", {"pretrained": "m", **given}))
    assert "abc" not in found


def test_servers_are_told_apart_and_their_keys_are_not() -> None:
    url = "https://host:80/v1?api_key=abc"
    assert key(base_url=url) == key(base_url=url.replace("abc", "other"))
    for part, other in (("https", "http"), ("host", "h2"), (":80", ":81"), ("/v1", "/v2")):
        assert key(base_url=url) != key(base_url=url.replace(part, other))


def test_the_files_of_a_subfolder_matter(adapter: Path) -> None:
    (adapter / "v").mkdir()
    (adapter / "v" / "model.safetensors").write_bytes(b"one")
    before = key(pretrained=str(adapter), subfolder="v")
    (adapter / "v" / "model.safetensors").write_bytes(b"two")
    assert key(pretrained=str(adapter), subfolder="v") != before


def test_environment_that_chooses_kernels_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(pretrained="m")
    monkeypatch.setenv("VLLM_LOGGING_LEVEL", "ERROR")
    assert key(pretrained="m") == before
    monkeypatch.setenv("VLLM_BATCH_INVARIANT", "1")
    assert key(pretrained="m") != before


@pytest.mark.parametrize(
    "value", ["org/name", "~nobody-of-this-name/m", "x" * 5000, "a\x00b", "", 3, None]
)
def test_what_is_no_path_is_no_file(value: object) -> None:
    assert model_identity("hf", {"pretrained": value})["files"] == {}
