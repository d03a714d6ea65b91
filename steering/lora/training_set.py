"""A training set on disk: two sets of prompts that share targets and order.

    DIR/manifest.json    settings, model, counts, hashes
    DIR/clean.jsonl      prompts without errors
    DIR/errors.jsonl     the same prompts with errors

A line is `{"id", "order", "level", "error_rate", "prompt", "completion"}`. Line by line both files
have the same id, order and completion, so that a model trained on one differs from a model
trained on the other in the errors alone (learner-error paper, App. C.3).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from sociolect.generators.errors import DataError, UnknownNameError
from sociolect.generators.folders import finished_folder
from sociolect.generators.layout import MANIFEST

PROMPT_SETS = ("clean", "errors")
KIND = "sociolect training set"
FORMAT = 1
"""Version of the files; a set of another version is not read."""

AGAIN = "Make the set again with `sociolect finetune prepare`."


@dataclass(frozen=True, slots=True)
class Example:
    """One prompt with its target.

    Attributes:
        id: Of the item.
        order: Option order of the prompt, 0 or 1.
        prompt: Text in front of the target, with the chat template if one was asked for.
        completion: The target as the model generated it, white space at its start included.
        level: Error level of the prompt in per cent, 0 without errors.
        error_rate: Token error rate of the prompt's input, in [0, 1].
    """

    id: str
    order: int
    prompt: str
    completion: str
    level: int = 0
    error_rate: float = 0.0


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """A training set that was read and checked.

    Attributes:
        folder: Where it lies.
        manifest: What `manifest.json` says.
        clean: The examples without errors.
        errors: The examples with errors, in the same order.
    """

    folder: Path
    manifest: Mapping[str, Any]
    clean: tuple[Example, ...]
    errors: tuple[Example, ...]

    @property
    def form(self) -> str:
        """Answer form of the prompts: `reason`, or `direct` if they end inside a box."""
        return str(self.manifest["form"])

    @property
    def targets_sha256(self) -> str:
        """Identity of ids, orders and completions, which both prompt sets share."""
        return str(self.manifest["targets_sha256"])

    def examples(self, name: str) -> tuple[Example, ...]:
        """The examples of one of `PROMPT_SETS`.

        Raises:
            UnknownNameError: No such prompt set.
        """
        if name not in PROMPT_SETS:
            raise UnknownNameError("prompt set", name, PROMPT_SETS)
        return self.clean if name == "clean" else self.errors


def write_training_set(
    folder: Path, manifest: Mapping[str, Any], clean: Sequence[Example], errors: Sequence[Example]
) -> TrainingSet:
    """Make the folder of a training set, whole or not at all.

    Args:
        folder: Must not exist, or be empty.
        manifest: What to say of the set, with `form`; kind, format and hashes are added.
        clean: The examples without errors.
        errors: The same examples with errors.

    Raises:
        DataError: The two do not have the same ids, orders and completions.
        InvalidInputError: The folder cannot be made, or holds something.
    """
    _check_twins(folder, clean, errors)
    contents = {name: _lines(ex) for name, ex in zip(PROMPT_SETS, (clean, errors), strict=True)}
    full = {
        "kind": KIND,
        "format": FORMAT,
        **manifest,
        "examples": len(clean),
        "targets_sha256": _targets_sha256(clean),
        "files": {file_name(n): sha256(data).hexdigest() for n, data in contents.items()},
    }
    text = json.dumps(full, indent=2) + "\n"
    with finished_folder(folder, replace=False) as partial:
        for name, data in contents.items():
            (partial / file_name(name)).write_bytes(data)
        (partial / MANIFEST).write_text(text, "utf-8")
    return TrainingSet(folder, json.loads(text), tuple(clean), tuple(errors))


def file_name(prompt_set: str) -> str:
    """The file of a prompt set."""
    return f"{prompt_set}.jsonl"


def read_training_set(folder: Path) -> TrainingSet:
    """Read a training set; its hashes are checked.

    Raises:
        DataError: It is missing, damaged, or of another version.
    """
    manifest = read_set_manifest(folder)
    clean, errors = (
        _examples(folder / file_name(name), manifest["files"][file_name(name)])
        for name in PROMPT_SETS
    )
    _check_twins(folder, clean, errors)
    if not clean:
        raise DataError(f"{folder} holds no examples. {AGAIN}")
    if (_targets_sha256(clean), len(clean)) != (manifest["targets_sha256"], manifest["examples"]):
        raise DataError(f"{folder}: the targets are not those of {MANIFEST}. {AGAIN}")
    return TrainingSet(folder, manifest, clean, errors)


def read_set_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a training set.

    Raises:
        DataError: There is none, or it is damaged, of something else, or of another version.
    """
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(f"{folder} is no training set: it has no {MANIFEST}. {AGAIN}") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is damaged ({error}). {AGAIN}") from None
    if not isinstance(manifest, dict) or manifest.get("kind") != KIND:
        raise DataError(f"{folder} is no training set: {path} is a manifest of something else.")
    if manifest.get("format") != FORMAT:
        raise DataError(
            f"{folder} is a training set of format {manifest.get('format')!r}; this version reads "
            f"{FORMAT}. {AGAIN}"
        )
    wrong = [key for key, fits in _SHAPE.items() if not fits(_at(manifest, key))]
    if wrong:
        raise DataError(f"{path} is damaged: {', '.join(wrong)} missing or wrong. {AGAIN}")
    return manifest


def _is_table_of_files(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(file_name(name)), str) for name in PROMPT_SETS
    )


def _at(values: object, path: str) -> object:
    """What is found on a dotted path, None for nothing; a wrong part above it is told of itself."""
    for name in path.split("."):
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _if_any(kind: type) -> Callable[[object], bool]:
    return lambda value: value is None or type(value) is kind


def _are_levels(value: object) -> bool:
    numbers = isinstance(value, list) and all(type(level) is int for level in value)
    return value is None or (numbers and value != [])


_SHAPE: Mapping[str, Callable[[object], bool]] = {
    "form": lambda value: value in ("reason", "direct"),
    "examples": lambda value: type(value) is int,
    "targets_sha256": lambda value: isinstance(value, str),
    "files": _is_table_of_files,
    "licence": _if_any(str),
    "settings": _if_any(dict),
    "settings.levels": _are_levels,
    "settings.chat_template": _if_any(bool),
    "settings.model": _if_any(dict),
    "settings.model.arguments": _if_any(dict),
    "settings.model.arguments.pretrained": _if_any(str),
}


def _lines(examples: Iterable[Example]) -> bytes:
    # Plain ASCII: any text that a model can generate can be written.
    order = ("id", "order", "level", "error_rate", "prompt", "completion")
    rows = (asdict(example) for example in examples)
    return "".join(json.dumps({k: row[k] for k in order}) + "\n" for row in rows).encode()


def _targets_sha256(examples: Iterable[Example]) -> str:
    digest = sha256()
    for one in examples:
        digest.update(json.dumps([one.id, one.order, one.completion]).encode() + b"\n")
    return digest.hexdigest()


def _examples(path: Path, expected: str) -> tuple[Example, ...]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}). {AGAIN}") from None
    if (found := sha256(data).hexdigest()) != expected:
        raise DataError(
            f"{path} was changed: its SHA-256 is {found}, {MANIFEST} says {expected}. {AGAIN}"
        )
    lines = data.split(b"\n")[:-1]
    return tuple(_example(line, f"{path}:{number}") for number, line in enumerate(lines, start=1))


_TYPES: Mapping[str, tuple[type, ...]] = {
    "id": (str,),
    "order": (int,),
    "prompt": (str,),
    "completion": (str,),
    "level": (int,),
    "error_rate": (int, float),
}


def _example(line: bytes, where: str) -> Example:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: no JSON ({error}). {AGAIN}") from None
    names = {field.name for field in fields(Example)}
    if not isinstance(record, dict) or set(record) != names:
        raise DataError(f"{where}: expected the fields {', '.join(sorted(names))}. {AGAIN}")
    wrong = [name for name, kinds in _TYPES.items() if type(record[name]) not in kinds]
    if wrong:
        raise DataError(f"{where}: {wrong[0]} is {record[wrong[0]]!r}. {AGAIN}")
    return Example(**record)


def _check_twins(folder: Path, clean: Sequence[Example], errors: Sequence[Example]) -> None:
    if len(clean) != len(errors):
        raise DataError(f"{folder}: {len(clean)} examples without errors, {len(errors)} with.")
    for number, (one, other) in enumerate(zip(clean, errors, strict=True), start=1):
        pairs = ((getattr(e, name) for name in _SHARED) for e in (one, other))
        if len(set(map(tuple, pairs))) > 1:
            raise DataError(
                f"{folder}: example {number} ({one.id}, order {one.order}) and the one with errors "
                f"({other.id}, order {other.order}) do not share id, order and completion. {AGAIN}"
            )


_SHARED = ("id", "order", "completion")
