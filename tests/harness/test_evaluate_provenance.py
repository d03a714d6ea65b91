from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from sociolect.generators.errors import ResultsError
from sociolect.harness.provenance import (
    model_files,
    own_cache,
    redact,
    results_files,
    results_of,
    write_record,
)
from sociolect.harness.run_options import RunOptions

OPTIONS = RunOptions(model_args={"pretrained": "m"}, use_cache="folder/cache")

DATA = {
    "data_version": "1.0.0",
    "data_sha256": "ab",
    "rules": "paper",
    "local_data": False,
    "task_format": 1,
    "answer_mode": "lenient",
    "seed": 0,
}


@pytest.mark.parametrize(
    ("argument", "shown"),
    [
        ("pretrained=m,token=abc123,dtype=float32", "pretrained=m,token=***,dtype=float32"),
        ('{"api_key": "abc123", "tokenizer": "t"}', '{"api_key": "***", "tokenizer": "t"}'),
        ("token='abc'", "token='***'"),
        ("hf_abcdefghijkl", "***"),
        ("base_url=http://me:pw@host/v1", "base_url=http://***@host/v1"),
        ("think_end_token=</think>", "think_end_token=</think>"),
        ("tokenizer=t,add_bos_token=True", "tokenizer=t,add_bos_token=True"),
        ("--tasks", "--tasks"),
    ],
)
def test_redact(argument, shown):
    assert redact(argument) == shown


def test_cache_is_the_same_for_the_same_run():
    assert own_cache(OPTIONS) == own_cache(replace(OPTIONS))
    assert own_cache(OPTIONS).startswith("folder/cache-")


@pytest.mark.parametrize(
    "change",
    [
        {"model": "vllm"},
        {"model_args": {"pretrained": "n"}},
        {"model_args": {"pretrained": "m", "peft": "adapter"}},
        {"gen_kwargs": {"temperature": 0.1}},
        {"apply_chat_template": True},
        {"system_instruction": "Be brief."},
    ],
)
def test_cache_differs_with_what_changes_an_answer(change):
    assert own_cache(replace(OPTIONS, **change)) != own_cache(OPTIONS)


def test_cache_ignores_what_changes_no_answer():
    for change in (
        {"output_path": "x"},
        {"limit": 4},
        {"model_args": {"pretrained": "m", "token": "t"}},
    ):
        assert own_cache(replace(OPTIONS, **change)) == own_cache(OPTIONS)


def test_cache_differs_when_a_local_model_is_trained_again(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"1")
    options = replace(OPTIONS, model_args={"pretrained": str(tmp_path)})
    first = own_cache(options)
    (tmp_path / "model.safetensors").write_bytes(b"22")
    assert own_cache(options) != first


def test_record_beside_the_results(tmp_path):
    results = tmp_path / "m" / "results_2026-01-02T03-04-05.678.json"
    results.parent.mkdir()
    results.write_text("{}")
    assert results_files(str(tmp_path)) == {results}
    path = write_record(
        results,
        arguments=["--model_args", "pretrained=m,token=abc123", "--tasks", "winobias_clean"],
        options=replace(OPTIONS, metadata={"error_seed": 1, "token": "abc123"}),
        docs={"winobias_clean": {**DATA, "input": "x"}},
        messages=["note: hello"],
    )
    assert path.name == "sociolect_2026-01-02T03-04-05.678.json"
    assert "abc123" not in path.read_text()
    record = json.loads(path.read_text())
    assert record["tasks"] == {"winobias_clean": DATA}
    assert record["metadata"] == {"error_seed": 1}
    assert record["messages"] == ["note: hello"]
    assert record["packages"]["lm_eval"]
    assert results_files(str(tmp_path)) == {results}
    assert sorted(p.name for p in results.parent.iterdir()) == [results.name, path.name]


def test_results_named_by_a_json_path(tmp_path):
    results = tmp_path / "run_2026-01-02T03-04-05.json"
    results.write_text("{}")
    assert results_files(str(tmp_path / "run.json")) == {results}


def test_a_path_with_brackets_is_no_pattern(tmp_path):
    results = tmp_path / "out[1]" / "r[x]_2026-01-02T03-04-05.json"
    results.parent.mkdir()
    results.write_text("{}")
    assert results_files(str(tmp_path / "out[1]" / "r[x].json")) == {results}


def test_the_results_of_a_run_are_known_by_its_time(tmp_path):
    run = {"date": 1.5, "total_evaluation_time_seconds": "3.25", "configs": {}}
    others = {"a": "{}", "b": "[]", "c": '{"date": 1.5', "z": json.dumps(run | {"date": 2.5})}
    for name, text in {**others, "mine": json.dumps(run)}.items():
        (tmp_path / f"results_{name}.json").write_text(text)
    files = results_files(str(tmp_path))
    assert results_of(run, files) == tmp_path / "results_mine.json"
    assert results_of(run, files - {tmp_path / "results_mine.json"}) is None
    assert results_of(run | {"total_evaluation_time_seconds": "4"}, files) is None
    assert results_of({"date": 1.5}, files) is None


def test_no_record_takes_the_place_of_another(tmp_path):
    results = [tmp_path / f"{name}_2026-01-01T00-00-00.json" for name in "abc"]
    paths = [write_record(r, arguments=[], options=OPTIONS, docs={}, messages=[]) for r in results]
    assert [json.loads(p.read_text())["results"] for p in paths] == [r.name for r in results]


def test_the_record_never_takes_the_name_of_the_results(tmp_path):
    results = tmp_path / "sociolect_2026-01-01T00-00-00.json"
    results.write_text("{}", "utf-8")
    path = write_record(results, arguments=[], options=OPTIONS, docs={}, messages=[])
    assert path != results
    assert results.read_text("utf-8") == "{}"


def test_the_record_holds_what_the_files_of_the_model_held(tmp_path, monkeypatch):
    monkeypatch.setattr("sociolect.steering.backends.identity._HASHED_BYTES", 4)
    base, adapter = tmp_path / "base", tmp_path / "adapter"
    for folder, name in ((base, "model.safetensors"), (adapter, "adapter_model.safetensors")):
        folder.mkdir()
        (folder / name).write_bytes(b"weights")
    options = RunOptions(model_args={"pretrained": str(base), "peft": str(adapter)})
    files = model_files(options)
    assert files["peft"]["adapter_model.safetensors"] == [7, sha256(b"weights").hexdigest()]
    time = (base / "model.safetensors").stat().st_mtime_ns
    assert files["pretrained"] == {"model.safetensors": [7, time]}
    results = tmp_path / "results_2026-01-01T00-00-00.json"
    path = write_record(results, arguments=[], options=options, docs={}, messages=[], files=files)
    assert json.loads(path.read_text("utf-8"))["model_files"] == files


def test_a_record_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    def full(path, *_):
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    results = tmp_path / "results_2026-01-01T00-00-00.json"
    with pytest.raises(ResultsError, match=r"No space left .* the results beside it are complete"):
        write_record(results, arguments=[], options=OPTIONS, docs={}, messages=[])
    assert not list(tmp_path.iterdir())
