"""The dataset card of pairs that are published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sociolect.generators.dialect.card import (
    config_head,
    corpus_texts,
    counts,
    front_matter,
    in_order,
    rendered,
    unassigned,
)
from sociolect.generators.dialect.folder import Built, schema
from sociolect.generators.dialect.model_names import model_name
from sociolect.generators.dialect.pair_faults import CONFIG, Row
from sociolect.generators.dialect.pairs import BENCHMARK, NATURAL_ABOVE
from sociolect.generators.dialect.unlike import unlike_said
from sociolect.generators.release_card import (
    Card,
    card_texts,
    dataset_info,
    hub_value,
    licence_head,
    size_category,
    version_rows,
)

_SPLIT_USES = {
    "tracing": "finding the layers that matter",
    "direction": "the direction of the dialect in a model",
    "selection": "choosing how strongly to steer",
    "evaluation": "everything that is reported",
}

_COUNTS = ("counts", "unlike")
"""Of the segmentation in a manifest; the rest are settings."""


def release_card(card: Card, built: Built, *, on_hub: bool = True) -> str:
    """The text of `README.md`; the same for the same release.

    Args:
        card: What every card is made of.
        built: The pairs.
        on_hub: Whether readers find it on the Hub; else in a git repository.
    """
    manifest = card.manifest
    corpus = corpus_texts(manifest)
    return rendered(
        "aae_release.md",
        m=manifest,
        repo=card.repo,
        version=card.version,
        title=corpus["pretty_name"] or manifest["name"],
        corpus=corpus,
        front_matter=front_matter(_head(card, corpus)),
        on_hub=on_hub,
        withheld=built.is_withheld,
        left_out=manifest.get("withheld", {}),
        splits=in_order(manifest["splits"]),
        unassigned=unassigned(manifest),
        split_uses=_SPLIT_USES,
        **_ratings(built.rows),
        **_segmentation(manifest),
        hub_value=hub_value(card.repo, BENCHMARK),
        dropped=Counter(d["reason"] for d in manifest["dropped"]).most_common(),
        versions=list(version_rows(card)),
    )


def _ratings(rows: Sequence[Row]) -> dict[str, int]:
    """Pairs with a back-translation, those rated, found natural, and reported on."""
    rated = [row["naturalness"] for row in rows if row["naturalness"] is not None]
    homes = Counter(row["split"] for row in rows if row["naturalness"] is not None)
    split = any(row["split"] for row in rows)
    return {
        "back": sum(bool(row["aae_back"]) for row in rows),
        "rated": len(rated),
        "reported": homes["evaluation"] if split else len(rated),
        "natural": sum(share > NATURAL_ABOVE for share in rated),
    }


def _segmentation(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Counts, settings, and the tasks that there are."""
    said = manifest["segmentation"]
    if said is None:
        return {"counts": [], "unlike": "", "settings": [], "tasks": ["aae_sentiment"]}
    settings = {key: value for key, value in said.items() if key not in _COUNTS}
    return {
        "counts": counts(manifest),
        "unlike": unlike_said(said),
        "settings": list(_flat(settings)),
        "tasks": ["aae_sentiment", "aae_continuation", "aae_choice_best"],
    }


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Settings by name; the manifest lists the files of a model."""
    for key, value in settings.items():
        if key == "files" or value in (None, ""):
            continue
        if isinstance(value, Mapping):
            named = {"name": model_name(value)} if value.get("name") else {}
            yield from _flat({**value, **named}, f"{prefix}{key} ")
            continue
        yield f"{prefix}{key}", value


def _head(card: Card, corpus: Mapping[str, Any]) -> dict[str, Any]:
    """What the Hub and `datasets` read."""
    manifest = card.manifest
    name = corpus["pretty_name"] or manifest["name"]
    return {
        "pretty_name": f"{name}: AAE and SAE",
        "language": ["en"],
        **_licence(manifest["licence"], corpus["homepage"]),
        "size_categories": [size_category(manifest["configs"][CONFIG]["rows"])],
        "task_categories": ["text-classification", "text-generation"],
        "tags": ["bias", "fairness", "dialect", "african-american-english", "sociolect"],
        "source_datasets": corpus["source_datasets"],
        "configs": [config_head()],
        "dataset_info": dataset_info(card, {CONFIG: schema()}),
    }


def _licence(licence: str, homepage: str) -> dict[str, str]:
    head = licence_head(licence, homepage, card_texts()["hub_licences"])
    return {key: value for key, value in head.items() if value}
