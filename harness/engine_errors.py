"""What a model backend raises, as one message that says what to do.

An engine that runs out of memory says so in two hundred lines. The whole traceback is kept: it is
printed with `--verbosity DEBUG` or `SOCIOLECT_TRACEBACK=1`, and otherwise written to a file beside
the results.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sociolect.generators.errors import MissingToolError, ModelError, SociolectError
from sociolect.harness.provenance import redact
from sociolect.harness.run_options import RunOptions

TRACEBACK_VARIABLE = "SOCIOLECT_TRACEBACK"
"""Environment variable that has tracebacks printed."""

ENOUGH_CONTEXT = 4096
"""Tokens that hold every prompt of ours and an answer of 2,000 tokens."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a command calls the settings that advice names.

    Attributes:
        batch_size: Prompts at a time.
        answer_length: Longest answer in tokens.
        traceback: What has tracebacks printed.
    """

    batch_size: str
    answer_length: str
    traceback: str


EVAL = Command(
    "--batch_size", "--gen_kwargs max_gen_toks", f"--verbosity DEBUG, or {TRACEBACK_VARIABLE}=1"
)
PREPARE = Command("--model_args batch_size", "--max-tokens", f"set {TRACEBACK_VARIABLE}=1")

_SHOWN = 400
_CAUSES = 10
_OFF = ("", "0", "false")
_TOO_LITTLE = re.compile(
    r"No available memory for the cache blocks|larger than the available KV cache|"
    r"larger than the maximum number of tokens"
)
_TAKEN = re.compile(r"less than desired GPU memory utilization")
_MEMORY = re.compile(
    r"out of memory|can't allocate memory|cannot allocate memory|bad_alloc|"
    r"CUBLAS_STATUS_ALLOC_FAILED|Unable to allocate",
    re.IGNORECASE,
)
_ENGINE = re.compile(r"Engine core initialization failed|EngineCore encountered an issue")
_MEMORY_TYPES = ("OutOfMemoryError", "MemoryError", "_ArrayMemoryError")
_VALIDATION = re.compile(r"\d+ validation errors? for ")
_NOISE = re.compile(r"\s*(Traceback \(|File \"|During handling|The above exception|\^+$|~+)")


@contextmanager
def explained(
    options: RunOptions, folder: Path | None = None, command: Command = EVAL
) -> Iterator[None]:
    """Turn what a backend raises into a message.

    Args:
        options: Of the run.
        folder: Where the traceback may be kept; it exists or can be made.
        command: Whose settings the advice names.

    Raises:
        ModelError: No memory, or the first useful line of any other error.
        MissingToolError: A package of the backend is not installed.
    """
    try:
        yield
    except SociolectError:
        raise
    except ModuleNotFoundError as error:
        raise MissingToolError(
            f"the model backend needs the package {error.name or error}, which is not installed. "
            "`pip install 'sociolect[hf]'` brings what --model hf and sociolect-hf need, "
            "`pip install 'sociolect[vllm]'` what --model vllm and sociolect-vllm need, "
            "`pip install 'sociolect[api]'` what local-completions and its relatives need"
        ) from error
    except Exception as error:  # whatever an engine may raise
        kept = _keep(error, options.environ, folder)
        where = kept or f"The whole traceback: {command.traceback}."
        raise ModelError(f"{_message(error, options, command)}\n  {where}") from error


def first_line(error: BaseException) -> str:
    """The first line of an error that says something, with its type."""
    lines = [line.strip() for line in str(error).splitlines()]
    useful = [line for line in lines if line and not _NOISE.match(line)]
    said = " ".join(useful[:3] if useful and _VALIDATION.match(useful[0]) else useful[:1])
    if len(said) > _SHOWN:
        said = f"{said[:_SHOWN]}…"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error, or what it came from, is a lack of memory."""
    return any(
        type(one).__name__ in _MEMORY_TYPES
        or any(pattern.search(str(one)) for pattern in (_MEMORY, _TOO_LITTLE, _TAKEN))
        for one in _chain(error)
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    for _ in range(_CAUSES):
        if current is None:
            return
        yield current
        current = current.__cause__ or current.__context__


def _message(error: BaseException, options: RunOptions, command: Command) -> str:
    if is_out_of_memory(error):
        said = next(first_line(one) for one in _chain(error) if is_out_of_memory(one))
        steps = _steps(error, options, command)
        return f"--model {options.model} has too little memory ({said}).{steps}"
    if _unknown([str(one) for one in _chain(error)]):
        return (
            f"--model {options.model}: the engine ended in its own process; its log above names "
            f"the cause ({first_line(error)}). If that is memory:{_steps(error, options, command)}"
        )
    return f"--model {options.model} stopped: {first_line(error)}{_hint(error, options)}"


def _hint(error: BaseException, options: RunOptions) -> str:
    """What to do about an error of a library that is known."""
    adapted = options.model == "vllm" and options.model_args.get("lora_local_path")
    if adapted and "einsum" in str(error):
        return (
            "\n  vLLM prepares the output head for the adapter, too, and cannot score with it on a "
            "CPU: use --model sociolect-vllm, or name the layers of the adapter "
            '(lora_target_modules=["q_proj",…], with --model_args as JSON).'
        )
    if options.is_served and _is_about_a_tokenizer(error):
        return (
            "\n  The tokenizer could not be loaded: name that of the served model, --model_args "
            "tokenizer=DIR_OR_ID. Generation tasks work without: tokenizer_backend=None."
        )
    return ""


def _is_about_a_tokenizer(error: BaseException) -> bool:
    """Whether the error came up where transformers loads a tokenizer."""
    frames = traceback.extract_tb(error.__traceback__)
    return any("tokeniz" in Path(frame.filename).name for frame in frames)


def _steps(error: BaseException, options: RunOptions, command: Command) -> str:
    """What to change, one a line, the cheapest first."""
    found = _vllm_steps(error, options) if options.on_vllm else _hf_steps(options, command)
    if options.is_ours and options.model_args.get("answers"):
        found.append("finished chunks are kept: the same command goes on where it stopped")
    return "".join(f"\n  {number}. {step}" for number, step in enumerate(found, start=1))


def _vllm_steps(error: BaseException, options: RunOptions) -> list[str]:
    texts = [str(one) for one in _chain(error)]
    steps = ["end other processes on the device (`nvidia-smi` lists them)"]
    given = options.model_args.get("max_model_len", options.model_args.get("max_length"))
    if given is None:
        steps.append(
            f"--model_args max_model_len={ENOUGH_CONTEXT}: without it vLLM plans for the whole "
            "context of the model"
        )
    elif str(given).isdigit() and int(given) > ENOUGH_CONTEXT:
        steps.append(f"lower max_model_len (now {given}); {ENOUGH_CONTEXT} do for these tasks")
    if any(_TOO_LITTLE.search(text) for text in texts):
        steps.append("raise gpu_memory_utilization (0.95), the share of the device that vLLM takes")
    else:
        raised = "; raise it if there is no room for the cache" if _unknown(texts) else ""
        steps.append(
            "lower gpu_memory_utilization (0.8), the share of the device that vLLM takes" + raised
        )
        steps.append("lower max_num_seqs (64) and max_num_batched_tokens (4096)")
    steps.append("tensor_parallel_size=2 splits the model over two devices")
    if options.device == "cpu" or not _has_gpu() or any("CPU" in text for text in texts):
        steps.append(
            "on a CPU: export VLLM_CPU_KVCACHE_SPACE=1 (GiB for the cache) "
            "VLLM_CPU_OMP_THREADS_BIND=nobind VLLM_ENABLE_V1_MULTIPROCESSING=0"
        )
    return steps


def _has_gpu() -> bool:
    torch = sys.modules.get("torch")  # the engine has imported it, if it came that far
    return torch is None or bool(torch.cuda.is_available())


def _unknown(texts: Sequence[str]) -> bool:
    """Whether the engine ended in another process, so that only its log names the cause."""
    return any(_ENGINE.search(text) for text in texts)


def _hf_steps(options: RunOptions, command: Command) -> list[str]:
    steps = [f"lower {command.batch_size} (now {options.batch_size}); `auto` finds one that fits"]
    if str(options.model_args.get("dtype", "")) not in ("bfloat16", "float16"):
        steps.append("--model_args dtype=bfloat16 halves the weights of a float32 model")
    steps.append(f"lower {command.answer_length}, or --model_args max_length")
    steps.append("--model_args parallelize=True spreads the model over all devices")
    return steps


def _keep(error: BaseException, environ: Mapping[str, str], folder: Path | None) -> str | None:
    """Print the traceback or write it down; says where it is, None if nowhere."""
    text = "".join(traceback.format_exception(error))
    if environ.get(TRACEBACK_VARIABLE, "").lower() not in _OFF:
        print(text, file=sys.stderr)
        return "The whole traceback is above."
    if folder is not None:
        path = folder / f"traceback_{datetime.now().isoformat().replace(':', '-')}.txt"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(redact(text), "utf-8", errors="backslashreplace")
        except OSError:
            pass
        else:
            return f"The whole traceback is in {path}."
    return None
