"""Rows of a variant dataset: one prompt before the order of its options is chosen."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sociolect.generators.conditions import Condition
from sociolect.generators.inject import Perturbed
from sociolect.generators.items import PART_NAMES, Item, Pair, PartName
from sociolect.generators.noise.inject import Noised
from sociolect.generators.noise.realised import CHANGES
from sociolect.generators.text import Edit

if TYPE_CHECKING:
    import pyarrow

Row = dict[str, Any]


RATES: tuple[str, ...] = ("error_rate", "error_rate_instruction", "error_rate_input")
"""What clean rows and rows with learner errors say of the change."""


@cache
def schema(*, noise: bool = False) -> pyarrow.Schema:
    """The columns, with the feature types that `datasets` reads back.

    Args:
        noise: Those of surface noise: `CHANGES` in place of `RATES`.
    """
    from datasets import Features, List, Value

    text, number, rate = Value("string"), Value("int32"), Value("float64")
    span = {"part": text, "start": number, "end": number}
    edit = {**span, **dict.fromkeys(("original", "replacement", "type"), text)}
    features: dict[str, Any] = {
        **dict.fromkeys(("id", "pair_id"), text),
        "pair_valid": Value("bool"),
        **dict.fromkeys(("benchmark", "axis", "member"), text),
        **dict.fromkeys(("instruction", "input", "question"), text),
        "options": List(text),
        **dict.fromkeys(("gold", "target_option"), number),
        "transform": text,
        "level": number,
        "part": text,
        "seed": Value("int64"),
        **dict.fromkeys(("n_tokens", "n_edits"), number),
        **dict.fromkeys(CHANGES if noise else RATES, rate),
        "edits": List({**edit, "operation": text, "subtype": text}),
        "protected": List(span),
    }
    return Features(features).arrow_schema


def make_row(
    pair: Pair,
    item: Item,
    condition: Condition,
    seed: int,
    parts: Mapping[PartName, Perturbed],
) -> Row:
    """A row of a condition that is clean or has learner errors.

    Args:
        pair: The pair of the item.
        item: The item.
        condition: What was done to it.
        seed: The error seed.
        parts: Both texts, perturbed or not.

    Returns:
        A row of `schema`. `n_tokens`, `n_edits` and `error_rate` are over the perturbed parts,
        or over both texts if the condition is clean; rates are in [0, 1].
    """
    scope = condition.perturbed_parts or PART_NAMES
    n_tokens = sum(parts[p].n_tokens for p in scope)
    distance = sum(parts[p].distance for p in scope)
    return {
        **_identity(pair, item),
        **_texts(item, parts["instruction"].text, parts["input"].text),
        **_condition(condition, seed),
        "n_tokens": n_tokens,
        "n_edits": sum(parts[p].n_edits for p in scope),
        "error_rate": distance / n_tokens if n_tokens else 0.0,
        "error_rate_instruction": parts["instruction"].error_rate,
        "error_rate_input": parts["input"].error_rate,
        "edits": [_edit_row(p, e) for p in PART_NAMES for e in parts[p].edits],
        "protected": _protected(item),
    }


def make_noise_row(pair: Pair, item: Item, condition: Condition, seed: int, noised: Noised) -> Row:
    """A row of a condition of surface noise, which is in the input.

    Args:
        pair: The pair of the item.
        item: The item.
        condition: What was done to it.
        seed: The error seed.
        noised: The input with noise.

    Returns:
        A row of `schema(noise=True)`. `n_tokens` counts what white space separates in the clean
        input, and `token_change` is over these.
    """
    change = noised.change
    return {
        **_identity(pair, item),
        **_texts(item, item.parts["instruction"].text, noised.text),
        **_condition(condition, seed),
        "n_tokens": change.n_tokens,
        "n_edits": len(noised.edits),
        "token_change": change.token_change,
        "char_distance": change.char_distance,
        "length_ratio": change.length_ratio,
        "edits": [_edit_row("input", e) for e in noised.edits],
        "protected": _protected(item),
    }


def _identity(pair: Pair, item: Item) -> Row:
    return {
        "id": item.id,
        "pair_id": item.pair_id,
        "pair_valid": pair.valid,
        "benchmark": item.benchmark,
        "axis": item.axis,
        "member": item.member,
    }


def _texts(item: Item, instruction: str, text: str) -> Row:
    return {
        "instruction": instruction,
        "input": text,
        "question": item.question,
        "options": list(item.options),
        "gold": item.gold,
        "target_option": item.target_option,
    }


def _condition(condition: Condition, seed: int) -> Row:
    return {
        "transform": condition.transform,
        "level": condition.level,
        "part": condition.part,
        "seed": seed,
    }


def _protected(item: Item) -> list[Row]:
    return [
        {"part": p, "start": s.start, "end": s.end}
        for p in PART_NAMES
        for s in item.parts[p].protected
    ]


_EDIT_FIELDS = ("start", "end", "original", "replacement", "type", "operation", "subtype")


def _edit_row(part: PartName, edit: Edit) -> Row:
    # Written out: a build makes millions of them.
    return {
        "part": part,
        "start": edit.start,
        "end": edit.end,
        "original": edit.original,
        "replacement": edit.replacement,
        "type": edit.type,
        "operation": edit.operation,
        "subtype": edit.subtype,
    }


def edits_of(row: Mapping[str, Any], part: str = "input") -> list[Edit]:
    """The edits that a row records for one part, with offsets in the clean text."""
    return [Edit(**{n: e[n] for n in _EDIT_FIELDS}) for e in row["edits"] if e["part"] == part]


def config_sha256(rows: Iterable[Mapping[str, Any]]) -> str:
    """Identity of a config: SHA-256 of its rows as canonical JSON, a line each.

    It does not depend on the parquet writer, unlike the hash of the file.
    """
    encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
    digest = sha256()
    for row in rows:
        digest.update(encode(row).encode() + b"\n")
    return digest.hexdigest()
