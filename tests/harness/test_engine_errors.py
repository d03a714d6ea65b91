from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sociolect.generators.errors import DataError, MissingToolError, ModelError
from sociolect.harness.engine_errors import explained, first_line, is_out_of_memory
from sociolect.harness.run_options import RunOptions

HF = RunOptions(model="hf", model_args={"pretrained": "m"}, batch_size=32)
VLLM = RunOptions(model="vllm", model_args={"pretrained": "m"})
NO_CACHE = "No available memory for the cache blocks. Try increasing `gpu_memory_utilization`."
TOO_LONG = (
    "To serve at least one request with the model's max seq len (131072), (16.0 GiB KV cache is "
    "needed, which is larger than the available KV cache memory (2.1 GiB)."
)
TAKEN = (
    "Free memory on device cuda:0 (9/80 GiB) on startup is less than desired GPU memory "
    "utilization (0.9, 72 GiB)."
)


class OutOfMemoryError(RuntimeError):
    """As torch calls it."""


def told(error: BaseException, options: RunOptions = HF, folder: Path | None = None) -> str:
    with pytest.raises(ModelError) as caught, explained(options, folder):
        raise error
    assert caught.value.__cause__ is error
    return str(caught.value)


@pytest.mark.parametrize(
    "error",
    [
        OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError(
            "[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory"
        ),
        MemoryError(),
        ValueError(NO_CACHE),
        ValueError(TOO_LONG),
        ValueError(TAKEN),
        ValueError("The model's max seq len (9) is larger than the maximum number of tokens (4)"),
    ],
)
def test_lack_of_memory_is_known(error):
    assert is_out_of_memory(error)
    wrapped = RuntimeError("engine died")
    wrapped.__cause__ = error
    assert is_out_of_memory(wrapped)
    assert "has too little memory" in told(wrapped)
    assert not is_out_of_memory(RuntimeError("a memory of summer"))


def test_transformers_has_a_batch_to_lower_first():
    message = told(OutOfMemoryError("CUDA out of memory"))
    assert message.index("1. lower --batch_size (now 32)") < message.index("dtype=bfloat16")
    half = replace(HF, model_args={"pretrained": "m", "dtype": "bfloat16"})
    assert "dtype=bfloat16" not in told(OutOfMemoryError(), half)


def test_vllm_without_room_for_its_cache():
    for text in (NO_CACHE, TOO_LONG):
        message = told(ValueError(text), VLLM)
        assert "max_model_len=4096" in message
        assert "raise gpu_memory_utilization" in message
    long = replace(VLLM, model_args={"pretrained": "m", "max_model_len": 8192})
    assert "lower max_model_len (now 8192)" in told(ValueError(TOO_LONG), long)
    short = replace(VLLM, model_args={"pretrained": "m", "max_model_len": 2048})
    assert "max_model_len" not in told(ValueError(NO_CACHE), short)


def test_vllm_on_a_device_that_is_taken():
    message = told(ValueError(TAKEN), VLLM)
    assert message.index("1. end other processes") < message.index("lower gpu_memory_utilization")


def test_an_engine_that_died_elsewhere():
    text = "Engine core initialization failed. See root cause above. Failed core proc(s): {}"
    message = told(RuntimeError(text), VLLM)
    assert "its log above names the cause" in message
    assert "lower max_num_seqs" in message
    assert "raise it if there is no room for the cache" in message
    assert "raise it" not in told(OutOfMemoryError(), VLLM)


def test_kept_answers_are_named():
    options = replace(HF, model="sociolect-hf", model_args={"answers": "out/answers"})
    assert "finished chunks are kept" in told(MemoryError(), options)
    assert "finished chunks" not in told(MemoryError(), replace(HF, model="sociolect-hf"))


def test_other_errors_by_their_first_useful_line():
    pydantic = "1 validation error for ModelConfig\n  Value error, no such folder\n    at x"
    assert first_line(ValueError(pydantic)).startswith(
        "ValueError: 1 validation error for ModelConfig Value error, no such folder"
    )
    nested = (
        'Traceback (most recent call last):\n  File "x.py", line 3\n\nCUDA error: no kernel\nmore'
    )
    assert first_line(RuntimeError(nested)) == "RuntimeError: CUDA error: no kernel"
    assert first_line(KeyError()) == "KeyError"
    assert len(first_line(RuntimeError("x" * 10_000))) < 500
    assert "--model hf stopped: OSError: no weights" in told(OSError("no weights\nat all"))


def test_our_own_messages_and_missing_packages():
    with pytest.raises(DataError, match="mine"), explained(HF):
        raise DataError("mine")
    with pytest.raises(MissingToolError, match="package vllm,"), explained(VLLM):
        raise ModuleNotFoundError("No module named 'vllm'", name="vllm")
    with pytest.raises(KeyboardInterrupt), explained(HF):
        raise KeyboardInterrupt


def test_the_traceback_is_kept_beside_the_results(tmp_path):
    message = told(RuntimeError("token=hf_abcdefghijkl"), folder=tmp_path / "out")
    (kept,) = (tmp_path / "out").iterdir()
    assert str(kept) in message
    text = kept.read_text()
    assert "test_engine_errors.py" in text
    assert "hf_abc" not in text


def test_the_traceback_is_printed_when_asked_for(tmp_path, capsys):
    options = replace(HF, environ={"SOCIOLECT_TRACEBACK": "1"})
    told(RuntimeError("x"), options, tmp_path)
    assert "Traceback" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    assert "--verbosity DEBUG" in told(RuntimeError("x"), folder=tmp_path / "file")
    assert capsys.readouterr().err == ""


def test_what_vllm_cannot_do_with_an_adapter_on_a_cpu_is_named():
    error = RuntimeError("einsum(): subscript b has size 16 for operand 1")
    adapted = replace(VLLM, model_args={"pretrained": "m", "lora_local_path": "a"})
    assert "--model sociolect-vllm" in told(error, adapted)
    assert "sociolect-vllm" not in told(error, VLLM)


def test_a_machine_without_a_gpu_is_told_what_a_cpu_needs(monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "VLLM_CPU_OMP_THREADS_BIND=nobind" in told(ValueError(NO_CACHE), VLLM)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert "VLLM_CPU" not in told(ValueError(NO_CACHE), VLLM)
