"""What a run of `sociolect eval` was, in a file beside its results; and its answer cache.

Nothing secret is written: values of arguments that are called token, key, secret or password,
and what looks like an access token or a password in a URL, become `***`.
"""

from __future__ import annotations

import glob
import itertools
import json
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path
from typing import Any

from sociolect import __version__
from sociolect.generators.errors import ResultsError
from sociolect.generators.installed import installed
from sociolect.generators.redaction import HIDDEN, is_secret, without_secrets
from sociolect.harness.dialect.token_counts import KEY as CONTINUATION_TOKENS
from sociolect.harness.run_options import RunOptions
from sociolect.harness.run_settings import answering_arguments
from sociolect.steering.backends.identity import digest, model_identity
from sociolect.steering.lora.adapters import WEIGHTS

PACKAGES = ("lm_eval", "torch", "transformers", "peft", "vllm", "datasets")
DOC_FIELDS = (
    "data_version",
    "data_sha256",
    "rules",
    "local_data",
    "task_format",
    "answer_mode",
    "seed",
)

RUN_KEYS = ("date", "total_evaluation_time_seconds")
"""What tells the results of one run of lm_eval from those of another."""

_ASSIGNMENT = re.compile(r"""([A-Za-z_]+)(["']?\s*[=:]\s*["']?)([^,"'\s}]+)""")


def redact(argument: str) -> str:
    """An argument of the command line without secrets."""

    def hide(match: re.Match[str]) -> str:
        shown = HIDDEN if is_secret(match[1]) else match[3]
        return f"{match[1]}{match[2]}{shown}"

    return without_secrets(_ASSIGNMENT.sub(hide, argument))


def run_identity(options: RunOptions) -> dict[str, Any]:
    """Everything known before a run that changes an answer, ready for JSON.

    Model, its arguments, the content of the files of a local model or adapter (of large ones
    size and time), library versions, device, generation settings, chat template and system
    prompt. Not part of it: arguments that only say where memory goes or what is computed
    together (`run_settings.INERT_ARGUMENTS`), secrets, and which documents are asked.
    """
    return {
        "model": model_identity(options.model, answering_arguments(options.model_args)),
        "device": str(options.device),
        "gen_kwargs": {k: str(v) for k, v in options.gen_kwargs.items()},
        "chat_template": str(options.apply_chat_template),
        "system_instruction": options.system_instruction,
    }


def own_cache(options: RunOptions) -> str:
    """`--use_cache` made specific to everything that changes an answer.

    lm_eval keys its cache by prompt and generation settings only, so that a second model would
    read the answers of the first.
    """
    return f"{options.use_cache}-{digest(run_identity(options))[:12]}"


def model_files(options: RunOptions) -> dict[str, dict[str, list[Any]]]:
    """What the files of a local model and adapter hold, by argument and file name.

    Of each its size and its sha256; of files too large to be hashed (`model_identity`) the time
    of change instead. The weights of an adapter are always hashed: training writes down theirs.

    Raises:
        ResultsError: The weights of the adapter cannot be read.
    """
    files: dict[str, dict[str, list[Any]]] = model_identity(options.model, options.model_args)[
        "files"
    ]
    for argument in files.keys() & options.model_args.keys():
        held = files[argument]
        if WEIGHTS in held and not isinstance(held[WEIGHTS][1], str):
            path = Path(options.model_args[argument]).expanduser() / WEIGHTS
            try:
                with path.open("rb") as file:
                    held[WEIGHTS][1] = file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise ResultsError(f"{path}: cannot be read ({error.strerror})") from error
    return files


def results_files(output_path: str) -> set[Path]:
    """Results that lm_eval wrote under `--output_path` (a folder, or a name ending in .json)."""
    path = Path(output_path)
    if path.suffix == ".json":
        return set(path.parent.glob(f"{glob.escape(path.stem)}_*.json"))
    return set(path.rglob("results_*.json"))


def results_of(run: Mapping[str, Any], files: Iterable[Path]) -> Path | None:
    """The one of these files that lm_eval wrote from these results, None if it wrote none.

    Other runs may write to the same folder meanwhile. What no two runs share is when they
    began and how long they took, to the last digit.

    Args:
        run: lm_eval's results, after it wrote them: it adds the time that they took.
        files: Where to look.
    """
    if any(key not in run for key in RUN_KEYS):
        return None
    for file in sorted(files):
        try:
            content = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError):
            continue  # another run is writing it
        if isinstance(content, dict) and all(content.get(key) == run[key] for key in RUN_KEYS):
            return file
    return None


def write_record(
    results_file: Path,
    *,
    arguments: Sequence[str],
    options: RunOptions,
    docs: Mapping[str, Mapping[str, Any]],
    messages: Sequence[str],
    files: Mapping[str, Any] | None = None,
    too_long: Mapping[str, Any] | None = None,
    tokens: Mapping[str, Any] | None = None,
) -> Path:
    """Write `sociolect_<time>.json` beside a results file and return its path.

    Args:
        results_file: The file of lm_eval that belongs to this run.
        arguments: The command line; secrets are hidden.
        options: The merged arguments.
        docs: One document of each of our tasks.
        messages: What `sociolect eval` said before the run.
        files: What was in the files of the model before the run (`model_files`).
        too_long: By task, the prompts that the context of the model did not hold.
        tokens: Of the continuations of dialect tasks (`dialect.token_counts`).

    Raises:
        ResultsError: It cannot be written; no part of it is left.
    """
    time = results_file.stem.rpartition("_")[2]
    record = {
        "sociolect": __version__,
        "command": ["sociolect", "eval", *(redact(argument) for argument in arguments)],
        "results": results_file.name,
        "use_cache": options.use_cache,
        "answers": options.model_args.get("answers") if options.is_ours else None,
        "model_files": dict(files or {}),
        "metadata": {k: v for k, v in options.metadata.items() if not is_secret(k)},
        "tasks": {task: {n: doc[n] for n in DOC_FIELDS if n in doc} for task, doc in docs.items()},
        "too_long": dict(too_long or {}),
        **({CONTINUATION_TOKENS: dict(tokens)} if tokens else {}),
        "messages": list(messages),
        "python": platform.python_version(),
        "packages": installed(PACKAGES),
    }
    path = _free_name(results_file, time)
    _write(path, json.dumps(record, indent=2, ensure_ascii=False, default=str) + "\n")
    return path


def _write(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, "utf-8")
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise ResultsError(
            f"{path}: the record of the run could not be written ({error.strerror}); the results "
            "beside it are complete. Is the disk full?"
        ) from error


def _free_name(results_file: Path, time: str) -> Path:
    """A name that is not taken; the user may have called the results `sociolect.json`."""
    ends = itertools.chain((time, f"run_{time}"), (f"run{n}_{time}" for n in itertools.count(2)))
    paths = (results_file.with_name(f"sociolect_{end}.json") for end in ends)
    return next(path for path in paths if not path.exists())
