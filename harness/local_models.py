"""What the files of a local model say before anything is loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CONTEXT = ("max_position_embeddings", "n_positions", "n_ctx")
_STANDS_FOR_PADDING = ("pad_token", "unk_token", "eos_token")


@dataclass(frozen=True, slots=True)
class TokenizerFacts:
    """What a tokenizer's files say of it.

    Attributes:
        chat_template: Whether it has any.
        end: Whether it has a token that ends a text.
        padding: Whether it has a token that lm_eval pads with: its own, the unknown or the end.
    """

    chat_template: bool
    end: bool
    padding: bool


def local_folder(value: object) -> Path | None:
    """The folder that a model argument names; None for anything else, such as a Hub name."""
    if not isinstance(value, str) or not value:
        return None
    path = Path(value).expanduser()
    return path if path.is_dir() else None


def model_folder(model_args: Mapping[str, Any]) -> Path | None:
    """The local folder that holds the model's files; None for a name on the Hub."""
    folder, inside = local_folder(model_args.get("pretrained")), model_args.get("subfolder")
    return folder / str(inside) if folder and inside else folder


def tokenizer_folder(model_args: Mapping[str, Any]) -> Path | None:
    """The local folder that holds the tokenizer's files; None for a name on the Hub."""
    named = model_args.get("tokenizer") or model_args.get("pretrained")
    return model_folder({**model_args, "pretrained": named})


def read_json(path: Path) -> dict[str, Any]:
    """An object in a JSON file; empty if it is missing or damaged, which the backend will say."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}


def context_length(folder: Path) -> int | None:
    """Tokens that the model can take, None if its config does not say."""
    values = read_json(folder / "config.json")
    inner = values.get("text_config")
    both = (inner if isinstance(inner, dict) else {}, values)
    lengths = [v[name] for v in both for name in _CONTEXT if isinstance(v.get(name), int)]
    return lengths[0] if lengths else None


def tokenizer_facts(folder: Path) -> TokenizerFacts | None:
    """Facts about the tokenizer in a folder; None where its config is not there."""
    config = read_json(folder / "tokenizer_config.json")
    if not config:
        return None
    tokens = {**read_json(folder / "special_tokens_map.json"), **config}
    templates = [
        folder / "chat_template.jinja",
        folder / "chat_template.json",
        folder / "additional_chat_templates",
    ]
    return TokenizerFacts(
        chat_template=bool(config.get("chat_template")) or any(t.exists() for t in templates),
        end=_has(tokens, "eos_token"),
        padding=any(_has(tokens, name) for name in _STANDS_FOR_PADDING),
    )


def _has(tokens: Mapping[str, Any], name: str) -> bool:
    value = tokens.get(name)
    return bool(value.get("content") if isinstance(value, dict) else value)


def missing_files(folder: Path) -> list[str]:
    """What a folder lacks to be a model, empty if it is whole."""
    config = any((folder / name).is_file() for name in ("config.json", "params.json"))
    return [*([] if config else ["config.json"]), *_missing_weights(folder), *_no_tokenizer(folder)]


def _missing_weights(folder: Path) -> list[str]:
    indices = sorted(folder.glob("*.index.json"))
    parts = {part for index in indices for part in read_json(index).get("weight_map", {}).values()}
    if parts:
        return [part for part in sorted(parts) if not (folder / part).is_file()]
    kinds = ("*.safetensors", "*.bin", "*.pt", "*.gguf")
    return [] if any(any(folder.glob(kind)) for kind in kinds) else ["weights (*.safetensors)"]


def _no_tokenizer(folder: Path) -> list[str]:
    found = any(any(folder.glob(kind)) for kind in ("tokenizer*", "tekken.json", "vocab*"))
    return [] if found else ["tokenizer"]
