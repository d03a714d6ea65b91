"""The card of a folder of pairs, as it is built and as it is published."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from sociolect.generators.dialect.pair_faults import CONFIG
from sociolect.generators.dialect.pairs import SPLITS
from sociolect.generators.dialect.unlike import unlike_said
from sociolect.generators.layout import PARQUET, SPLIT
from sociolect.generators.templates import DATASET_CARDS, environment


def build_card(manifest: Mapping[str, Any]) -> str:
    """The file that tells `datasets.load_dataset` which config there is."""
    licence = manifest["licence"].lower() or "other"
    head = {"license": licence, "language": ["en"], "configs": [config_head()]}
    return rendered(
        "aae_build.md",
        m=manifest,
        front_matter=front_matter(head),
        splits=in_order(manifest["splits"]),
        unassigned=unassigned(manifest),
        counts=counts(manifest),
        unlike=unlike_said(manifest["segmentation"]),
        sides=corpus_texts(manifest)["sides"],
    )


def corpus_texts(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What cards say of the corpus that pairs are from."""
    from sociolect.generators.dialect.manifest import known_corpus  # which needs folders, so cards

    return _corpora()[known_corpus(manifest) or "own"]


@cache
def _corpora() -> dict[str, dict[str, Any]]:
    import yaml

    path = files(DATASET_CARDS).joinpath("aae_corpora.yaml")
    texts: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return texts


def in_order(sizes: Mapping[str, int]) -> list[tuple[str, int]]:
    """The sizes of the splits, in the order of `SPLITS`."""
    return [(split, sizes[split]) for split in SPLITS if split in sizes]


def unassigned(manifest: Mapping[str, Any]) -> int:
    """How many pairs are in no split."""
    rows: int = manifest["configs"][CONFIG]["rows"]
    return rows - sum(int(n) for n in manifest["splits"].values())


def counts(manifest: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Pairs that were segmented, and those that were not by reason, the most frequent first."""
    said = manifest["segmentation"]
    return [] if said is None else sorted(said["counts"].items(), key=lambda item: -item[1])


def config_head() -> dict[str, Any]:
    """The one config as the front matter of a card names it."""
    files = [{"split": SPLIT, "path": f"{CONFIG}/{PARQUET}"}]
    return {"config_name": CONFIG, "data_files": files, "default": True}


def front_matter(head: Mapping[str, Any]) -> str:
    """The metadata block of a card."""
    import yaml

    return yaml.safe_dump(dict(head), sort_keys=False, allow_unicode=True, width=100).strip()


def rendered(template: str, **context: Any) -> str:
    """A template of `dataset_cards` with its values.

    The filters `code` and `cell` are for what others wrote: names, reasons, addresses; `counted`
    is for numbers of things.
    """
    templates = environment(trim=True)
    templates.filters.update(code=code, cell=code_in_table, counted=counted)
    return templates.get_template(template).render(**context)


def counted(n: int, one: str, many: str) -> str:
    """A number and its noun, in the singular for 1."""
    return f"{n:,} {one if n == 1 else many}"


def code(text: object) -> str:
    """Words of others as a code span: one line, no mark-up, no HTML."""
    shown = " ".join(str(text).replace("`", "'").split())
    printable = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in shown)
    return f"`{printable}`" if printable else "–"


def code_in_table(text: object) -> str:
    """The same inside a cell of a table."""
    return code(text).replace("|", r"\|")
