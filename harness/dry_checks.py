"""Whether a run would find what it names: model, arguments, adapter, folders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sociolect.generators.errors import SociolectError
from sociolect.harness.local_models import local_folder, missing_files, model_folder
from sociolect.harness.model_arguments import known_arguments, misspelt
from sociolect.harness.run_folders import Place, check_writable
from sociolect.harness.run_options import RunOptions

_TIMEOUT = 10.0


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was looked for.

    Attributes:
        what: What it is, for the first column of the report.
        said: What was found.
        problem: Whether the run would fail on it.
    """

    what: str
    said: str
    problem: bool = False


def checks(place: Place) -> Iterator[Checked]:
    """Everything that can be known of a run's model and folders before it starts."""
    options = place.options
    if options.on_hf or options.on_vllm:
        yield from _engine(options)
        yield _model(options)
        yield from _tokenizer(options)
        yield from _adapter(options)
        yield from _arguments(options)
    if place.folder is None:
        yield Checked("results", "only printed: no --output_path")
    else:
        yield _folder("results", place.folder)
    if place.answers is not None:
        yield _folder("answers", place.answers)


def _engine(options: RunOptions) -> Iterator[Checked]:
    needed = ("vllm",) if options.on_vllm else ("torch", "transformers")
    if missing := [name for name in needed if find_spec(name) is None]:
        yield Checked("backend", f"{options.model} needs {', '.join(missing)}, not installed here")


def _model(options: RunOptions) -> Checked:
    name = options.model_args.get("pretrained")
    if not name:
        return Checked("model", "--model_args names none: add pretrained=…", problem=True)
    folder = model_folder(options.model_args)
    if folder is None:
        return _named("model", str(name), options.model_args.get("revision"))
    if missing := missing_files(folder):
        return Checked("model", f"{folder} is not whole: {', '.join(missing)}", problem=True)
    return Checked("model", f"{folder}: config, weights and tokenizer are there")


def _tokenizer(options: RunOptions) -> Iterator[Checked]:
    """A tokenizer that is not the model's own."""
    name = options.model_args.get("tokenizer")
    if name and local_folder(name) is None:
        yield _named("tokenizer", str(name), options.model_args.get("tokenizer_revision"))


def _adapter(options: RunOptions) -> Iterator[Checked]:
    """The adapter; one that does not fit was refused before."""
    name = options.model_args.get(options.adapter_argument)
    if not name:
        return
    folder = local_folder(name)
    if folder is None:
        yield _named("adapter", str(name), None)
        return
    from sociolect.steering.lora.adapters import read_adapter

    yield Checked("adapter", f"{folder}: rank {read_adapter(folder).rank}")


def _named(what: str, name: str, revision: object) -> Checked:
    """A name on the Hub, looked up unless the Hub is switched off."""
    if name.startswith(("/", ".", "~")) or Path(name).exists():
        return Checked(what, f"{name} is no folder", problem=True)
    from huggingface_hub import HfApi, constants, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError

    file = {"adapter": "adapter_config.json", "tokenizer": "tokenizer_config.json"}.get(
        what, "config.json"
    )
    asked = str(revision) if revision else None
    try:
        if isinstance(try_to_load_from_cache(name, file, revision=asked), str):
            return Checked(what, f"{name}: in the local cache of the Hub")
        if constants.HF_HUB_OFFLINE:
            return Checked(what, f"{name}: a name on the Hub, not looked up (offline)")
        HfApi().model_info(name, revision=asked, timeout=_TIMEOUT)
    except HFValidationError:
        return Checked(what, f"{name} is neither a folder nor a name on the Hub", problem=True)
    except RepositoryNotFoundError:
        return Checked(what, f"{name}: not on the Hub, or not for this account", problem=True)
    except OSError as error:  # no network, or a server that has other worries
        return Checked(what, f"{name}: not looked up ({type(error).__name__})")
    return Checked(what, f"{name}: on the Hub")


def _arguments(options: RunOptions) -> Iterator[Checked]:
    try:
        known, _ = known_arguments(options)
        wrong = dict(misspelt(options))
    except ImportError as error:
        yield Checked("arguments", f"not checked: {error.name or error} is not installed")
        return
    for name in options.model_args:
        if name in wrong:
            meant = f"; did you mean {wrong[name]}?" if wrong[name] else ""
            yield Checked("arguments", f"{options.model} knows no {name}{meant}", problem=True)
        elif name not in known:
            yield Checked("arguments", f"{name} is passed on, unchecked")


def _folder(what: str, folder: Path) -> Checked:
    try:
        check_writable(folder)
    except SociolectError as error:
        return Checked(what, str(error), problem=True)
    return Checked(what, str(folder) if folder.exists() else f"{folder} (will be made)")
