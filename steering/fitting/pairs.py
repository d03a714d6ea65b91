"""Pairs of AAE and SAE: contexts for the direction, items for tracing (dialect paper, §4.3).

The direction is found on one split of the pairs and traced on another, and neither is the one that
a steered model is reported on (dialect paper, §5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sociolect.generators.dialect.features import Feature, find_features
from sociolect.generators.dialect.folder import Built, read_folder
from sociolect.generators.dialect.lexicon import CLASSES
from sociolect.generators.dialect.manifest import segmented_with
from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.text import Span
from sociolect.steering.directions import Contrast
from sociolect.steering.fitting.material import (
    SAME_TOKENS,
    LeftOutError,
    Material,
    Scorer,
    first_of,
    usable,
)
from sociolect.steering.tracing.items import TracedItem
from sociolect.tasks.dialect.prompts import context, continuation, same_continuation

NOT_SEGMENTED = "not segmented"
NO_FEATURE = "no feature of the lexicon"
NONE_IN_CONTEXT = "no feature in the context"
CUT = "a feature cut by the boundary"
SAME_CONTINUATION = "the same continuation in both"

_HELD_OUT = ("selection", "evaluation")
"""Splits that a strength is chosen on and that a steered model is reported on."""

Row = Mapping[str, Any]


def dialect_material(
    lm: Any,
    folder: Path,
    *,
    direction_split: str = "direction",
    tracing_split: str = "tracing",
    limit: int | None = None,
    trace_limit: int | None = None,
) -> Material:
    """What a dialect vector is fitted on.

    Args:
        lm: Model of lm_eval that scores `aae_continuation`; contexts and continuations have the
            tokens that it reads there.
        folder: Of pairs, segmented and with splits.
        direction_split: Whose pairs give the direction, from SAE contexts to AAE contexts.
        tracing_split: Whose pairs are traced, if a feature of the lexicon is in the AAE context.
        limit: Pairs for the direction; None for all. The first by a hash of their ids.
        trace_limit: Items for tracing.

    Raises:
        DataError: The folder is damaged, holds no AAE texts or no splits, or one split is empty.
        InvalidInputError: Both splits are the same, or one of them is held out.
        ModelError: The tokenizer does not say which characters a token stands for.
    """
    _check_splits(direction_split, tracing_split)
    built = read_folder(folder)
    _check_texts(built, folder)
    scorer = Scorer(lm)
    left: dict[str, dict[str, int]] = {"directions": {}, "tracing": {}}
    pairs, sentences = (_of(built, folder, name) for name in (direction_split, tracing_split))
    contrasts = usable(partial(_contrast, scorer), pairs, left["directions"])
    items = usable(partial(_item, scorer), sentences, left["tracing"])
    chosen = first_of(items, trace_limit, left["tracing"])
    return Material(
        kind="dialect",
        contrasts=first_of(contrasts, limit, left["directions"]),
        items=chosen,
        left=left,
        facts={
            **_facts(built),
            "splits": {"directions": direction_split, "tracing": tracing_split},
            "features": _classes(built, {one.id for one in chosen}),
        },
    )


def features_in_context(row: Row) -> list[Feature]:
    """Features of the AAE text that lie wholly in its context."""
    return [one for one in find_features(row["aae"]) if one.end <= row["aae_boundary"]]


def _check_splits(*names: str) -> None:
    if len({*names}) < len(names):
        raise InvalidInputError(
            f"the direction and the tracing were both asked of split {names[0]!r}; name two splits"
        )
    for name in names:
        if name in _HELD_OUT:
            raise InvalidInputError(
                f"split {name!r} is what steering is chosen or reported on, so nothing may be "
                "fitted on it; name another one"
            )


def _check_texts(built: Built, folder: Path) -> None:
    if built.is_withheld:
        raise DataError(
            f"{folder} holds its pairs without the AAE texts, which may not be handed on with it. "
            f"Put them back with `sociolect dialect restore {folder} --pairs PAIRS --out DIR` and "
            "name DIR"
        )
    if not any(row["split"] for row in built.rows):
        raise DataError(
            f"the pairs in {folder} are in no split, so a vector would be fitted on what it is "
            "evaluated on. Build it again with `sociolect dialect build` without --no-splits"
        )


def _of(built: Built, folder: Path, split: str) -> list[Row]:
    found = [row for row in built.rows if row["split"] == split]
    if not found:
        there = Counter(row["split"] or "in none" for row in built.rows)
        counted = ", ".join(f"{name} {there[name]}" for name in sorted(there))
        raise DataError(f"{folder} holds no pair of split {split!r} (pairs by split: {counted})")
    return found


def _contrast(scorer: Scorer, row: Row) -> Contrast:
    if row["unsegmented"]:
        raise LeftOutError(NOT_SEGMENTED)
    toward, away = (scorer.context(context({**row, "context": one})) for one in VARIETIES)
    if toward == away:
        raise LeftOutError(SAME_TOKENS)
    return Contrast(row["id"], toward, away)


def _item(scorer: Scorer, row: Row) -> TracedItem:
    if row["unsegmented"]:
        raise LeftOutError(NOT_SEGMENTED)
    inside = _features(row)
    if same_continuation(row):
        raise LeftOutError(SAME_CONTINUATION)
    text = context({**row, "context": "aae"})
    before, matched = scorer.continued(text, continuation(row, "aae"))
    _, other = scorer.continued(text, continuation(row, "sae"))
    places = scorer.places(text, [Span(one.start, one.end) for one in inside])
    return TracedItem(row["id"], before, places, matched, other)


def _features(row: Row) -> list[Feature]:
    found = find_features(row["aae"])
    if not found:
        raise LeftOutError(NO_FEATURE)
    inside = features_in_context(row)
    if not inside:
        is_cut = any(one.start < row["aae_boundary"] for one in found)
        raise LeftOutError(CUT if is_cut else NONE_IN_CONTEXT)
    return inside


def _classes(built: Built, ids: set[str]) -> dict[str, int]:
    """How many items have a feature of each class in their context."""
    there = Counter(
        each
        for row in built.rows
        if row["id"] in ids
        for each in {one.feature_class for one in features_in_context(row)}
    )
    return {each: there[each] for each in CLASSES}


def _facts(built: Built) -> dict[str, Any]:
    manifest = built.manifest
    return {
        "dataset": manifest["name"],
        "data_version": manifest["data_version"],
        "data_sha256": manifest["configs"]["pairs"]["sha256"],
        "segmented_with": segmented_with(manifest),
    }
