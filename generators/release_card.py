"""The dataset card of a release: `README.md` with metadata for the Hub and a text for readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sociolect.generators.conditions import CLEAN, JUDGED, NOISES, TRANSFORMS
from sociolect.generators.errors import DataError
from sociolect.generators.layout import PARQUET, SPLIT, repository_name
from sociolect.generators.manifest import Manifest
from sociolect.generators.stored import columns, is_noise, is_withheld
from sociolect.generators.templates import environment

if TYPE_CHECKING:
    import pyarrow

_SIZES = (
    *(("n<1K", 1_000), ("1K<n<10K", 10_000), ("10K<n<100K", 100_000)),
    *(("100K<n<1M", 1_000_000), ("1M<n<10M", 10_000_000), ("10M<n<100M", 100_000_000)),
)


@dataclass(frozen=True, slots=True)
class Card:
    """What a card is made of.

    Attributes:
        manifest: As it is published.
        repo: Name of the dataset repository, `org/name`.
        version: Data version, `X.Y.Z`.
        manifest_sha256: Of the manifest's bytes, 64 hexadecimal digits.
        sizes: Bytes of each config, in memory (as Arrow) and on disk (as parquet).
        earlier: Versions published before.
        realism: `config` (may be empty), `reference`, `total_variation` and `per_type` (a list
            of `{type, ours, reference}`, shares in [0, 1]), or None for no such section.
    """

    manifest: Manifest
    repo: str
    version: str
    manifest_sha256: str
    sizes: Mapping[str, tuple[int, int]]
    earlier: tuple[Earlier, ...] = field(default=())
    realism: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Earlier:
    """A version that was published before, for the table of versions.

    Attributes:
        version: `X.Y.Z`.
        manifest: Its manifest.
        sha256: Of the manifest's bytes, 64 hexadecimal digits.
    """

    version: str
    manifest: Manifest
    sha256: str


def render_card(card: Card) -> str:
    """The text of `README.md`; the same for the same release.

    Raises:
        DataError: There is no text about this benchmark.
    """
    templates = environment(trim=True)
    axis = card.manifest["axis"]
    templates.filters["fill"] = lambda text: _filled(text, axis)
    templates.filters["percent"] = lambda share, digits: f"{100 * share:.{digits}f} %"
    templates.filters["code"] = lambda text: "`" + " ".join(text.replace("`", "'").split()) + "`"
    templates.filters["cell"] = lambda text: str(text).replace("|", r"\|").replace("\n", " ")
    return templates.get_template("release.md").render(_context(card))


def _context(card: Card) -> dict[str, Any]:
    manifest, texts = card.manifest, card_texts()
    family = _family(manifest["benchmark"])
    entries = manifest["configs"]
    made = [e for name, e in entries.items() if name != CLEAN]
    parts = {e["part"] for e in made}
    example = _example(entries)
    return {
        "m": manifest,
        "repo": card.repo,
        "version": card.version,
        "family": family,
        "title": _filled(family["pretty_name"], manifest["axis"]),
        "front_matter": _front_matter(card, family),
        "withheld": is_withheld(manifest),
        "judged": manifest["benchmark"] in JUDGED,
        "transforms": texts["transforms"],
        "used_transforms": list(dict.fromkeys(e["transform"] for e in entries.values())),
        "levels": sorted({e["level"] for e in made if "token_change" not in e}),
        "noise_levels": sorted({e["level"] for e in made if "token_change" in e}),
        "parts": {name: text for name, text in texts["parts"].items() if name in parts},
        "example": example,
        "hub_value": hub_value(card.repo, manifest["benchmark"]),
        "tasks": _tasks(manifest["benchmark"], example),
        "build_command": _build_command(manifest, example),
        "mixes": list(_mixes(entries)),
        "noise_mixes": list(_noise_mixes(entries)),
        "dropped": Counter(d["reason"] for d in manifest["dropped"]).most_common(),
        "realism": card.realism,
        "versions": list(version_rows(card)),
    }


@cache
def card_texts() -> dict[str, Any]:
    """What `datasets.yaml` says."""
    import yaml

    path = files("sociolect.dataset_cards").joinpath("datasets.yaml")
    texts: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return texts


def _family(benchmark: str) -> dict[str, Any]:
    for family in card_texts()["families"]:
        if benchmark in family["names"]:
            return dict(family)
    raise DataError(
        f"there is no card text about {benchmark!r}; add it to dataset_cards/datasets.yaml"
    )


def _filled(text: str, axis: str) -> str:
    return text.replace("{axis}", axis).strip()


def hub_value(repo: str, benchmark: str) -> str:
    """What `SOCIOLECT_HUB` must be for the tasks to find a repository."""
    org, _, name = repo.partition("/")
    return org if name == repository_name(benchmark) else repo


def _example(entries: Mapping[str, Any]) -> str:
    """The config that the card loads and scores.

    The highest level of all types in the input; without learner errors, noise at a realistic level.
    """
    names = list(entries)
    mixed = [n for n in names if entries[n]["transform"] == "l2" and entries[n]["part"] == "input"]
    usual = [n for n in names if n == "combined-30"]
    return (mixed or usual or names)[-1]


def _tasks(benchmark: str, config: str) -> list[str]:
    names = dict.fromkeys((CLEAN, config))
    return [f"{benchmark}_{name.replace('-', '_')}" for name in names]


def _build_command(manifest: Manifest, config: str) -> str:
    entry = manifest["configs"][config]
    command = f"sociolect build {manifest['benchmark']} --out DIR --seed {manifest['seed']}"
    command += f" --rules {manifest['rules']}"
    if config == CLEAN:
        return command
    chosen = (f"--{key} {entry[key]}" for key in ("transform", "level", "part"))
    return f"{command} {' '.join(chosen)}"


def _front_matter(card: Card, family: Mapping[str, Any]) -> str:
    """The metadata block; `datasets` reads `configs` and `dataset_info`, the Hub the rest."""
    import yaml

    manifest, texts = card.manifest, card_texts()
    axis = manifest["axis"]
    rows = sum(entry["rows"] for entry in manifest["configs"].values())
    head = {
        "pretty_name": _filled(family["pretty_name"], axis),
        "language": ["en"],
        **licence_head(manifest["licence"], family["homepage"], texts["hub_licences"]),
        "size_categories": [size_category(rows)],
        "task_categories": family["task_categories"],
        "tags": [*(_filled(tag, axis) for tag in family["tags"]), *_kinds(manifest), "sociolect"],
        "source_datasets": family["source_datasets"],
        "configs": [
            {
                "config_name": name,
                "data_files": [{"split": SPLIT, "path": f"{name}/{PARQUET}"}],
                **({"default": True} if name == CLEAN else {}),
            }
            for name in manifest["configs"]
        ],
        "dataset_info": _dataset_info(card),
    }
    return yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=100).strip()


def _kinds(manifest: Manifest) -> list[str]:
    """Tags of what was done to the texts."""
    transforms = {entry["transform"] for entry in manifest["configs"].values()}
    noise = ["text-noise"] if transforms & set(NOISES) else []
    return [*(["learner-english"] if transforms & set(TRANSFORMS) else []), *noise]


def licence_head(licence: str, homepage: str, known: list[str]) -> dict[str, str]:
    """The licence as the Hub reads it; one that it does not know is `other` with its name."""
    if licence.lower() in known:
        return {"license": licence.lower()}
    name = licence.lower().replace(" ", "-") or "source-states-none"
    return {"license": "other", "license_name": name, "license_link": homepage}


def size_category(rows: int) -> str:
    """How the Hub names so many rows."""
    return next((name for name, limit in _SIZES if rows < limit), "n>1T")


def _dataset_info(card: Card) -> list[dict[str, Any]]:
    withheld = is_withheld(card.manifest)
    names = card.manifest["configs"]
    return dataset_info(card, {n: columns(withheld, noise=is_noise(n)) for n in names})


def dataset_info(card: Card, schemas: Mapping[str, pyarrow.Schema]) -> list[dict[str, Any]]:
    """What `datasets` reads of the configs: features, rows and bytes.

    Args:
        card: What is described.
        schemas: The columns of each config.
    """
    from datasets import DatasetInfo, Features, SplitDict, SplitInfo
    from datasets.info import DatasetInfosDict
    from huggingface_hub import DatasetCardData

    infos = {}
    for name, entry in card.manifest["configs"].items():
        features = Features.from_arrow_schema(schemas[name])
        in_memory, on_disk = card.sizes[name]
        split = SplitInfo(SPLIT, num_bytes=in_memory, num_examples=entry["rows"])
        infos[name] = DatasetInfo(
            features=features,
            splits=SplitDict({SPLIT: split}),
            download_size=on_disk,
            dataset_size=in_memory,
        )
    data = DatasetCardData()
    DatasetInfosDict(infos).to_dataset_card_data(data)
    found = data["dataset_info"]
    return found if isinstance(found, list) else [{"config_name": next(iter(schemas)), **found}]


def _mixes(entries: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One table for all configs that want the same mix."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for name, entry in entries.items():
        if name.partition("-")[0] in NOISES:
            continue
        kinds = tuple((m["type"], m["operation"], m["subtype"], m["wanted"]) for m in entry["mix"])
        if kinds:
            groups.setdefault(kinds, []).append(name)
    for kinds, names in groups.items():
        shares = zip(*([m["share"] for m in entries[name]["mix"]] for name in names), strict=True)
        rows = [
            {"type": k[0], "operation": k[1], "subtype": k[2], "wanted": k[3], "shares": row}
            for k, row in zip(kinds, shares, strict=True)
        ]
        yield {"configs": names, "rows": rows}


def _noise_mixes(entries: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One table a kind of noise, with the levels side by side."""
    for noise in NOISES:
        own = {name: e for name, e in entries.items() if e["transform"] == noise}
        shares = {
            name: {(m["type"], m["operation"], m["subtype"]): m["share"] for m in entry["mix"]}
            for name, entry in own.items()
        }
        kinds = sorted({kind for of_config in shares.values() for kind in of_config})
        rows = [
            {
                **dict(zip(("type", "operation", "subtype"), kind, strict=True)),
                "shares": [of_config.get(kind, 0.0) for of_config in shares.values()],
            }
            for kind in kinds
        ]
        if rows:
            yield {"configs": list(own), "rows": rows}


def version_rows(card: Card) -> Iterator[dict[str, Any]]:
    """The rows of the table of versions, the newest first."""
    this = Earlier(card.version, card.manifest, card.manifest_sha256)
    older = (e for e in card.earlier if e.version != card.version)
    for one in sorted((this, *older), key=lambda e: _number(e.version), reverse=True):
        entries = one.manifest.get("configs", {}).values()
        yield {
            "version": one.version,
            "sociolect": one.manifest.get("sociolect_version", ""),
            "algorithm": one.manifest.get("algorithm_version", ""),
            "configs": len(entries),
            "rows": sum(entry.get("rows", 0) for entry in entries),
            "sha256": one.sha256,
        }


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
