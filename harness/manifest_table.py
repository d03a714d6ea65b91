"""Manifests of builds as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from sociolect.generators.grid import Built

_SHORT = {"deletion": "del", "replacement": "rep", "insertion": "ins"}


def manifest_table(manifest: Mapping[str, Any]) -> Group:
    """Calibration and realised mix of every config, and what was left out.

    Args:
        manifest: As `sociolect.generators.build.build` returns it.
    """
    entries = manifest["configs"]
    tables = (
        _errors_table(manifest, {n: e for n, e in entries.items() if not _is_noise(e)}),
        *_noise_tables(manifest, {n: e for n, e in entries.items() if _is_noise(e)}),
    )
    notes = list(_notes(manifest))
    return Group(*tables, *(Text(note) for note in notes))


def _is_noise(entry: Mapping[str, Any]) -> bool:
    return "token_change" in entry


def _errors_table(manifest: Mapping[str, Any], entries: Mapping[str, Any]) -> Table:
    table = Table(
        title=f"{manifest['benchmark']}, seed {manifest['seed']}, {manifest['rules']} rules"
    )
    for column in ("config", "rows", "mean ε", "ceiling", "realised mix (wanted), per cent"):
        table.add_column(
            column, justify="right" if column in ("rows", "mean ε", "ceiling") else "left"
        )
    for name, entry in entries.items():
        ceiling = min(entry["ceiling"].values(), default=None)
        table.add_row(
            Text(name),
            str(entry["rows"]),
            f"{entry['mean_error_rate']:.2%}",
            "" if ceiling is None else f"{ceiling:.1%}" + (" *" if entry["at_ceiling"] else ""),
            Text(mix_line(entry["mix"])),
        )
    return table


def _noise_tables(manifest: Mapping[str, Any], entries: Mapping[str, Any]) -> Iterable[Table]:
    """What the noise changed beside the attempt probability; no table without noise."""
    if not entries:
        return
    table = Table(
        title=f"{manifest['benchmark']}, surface noise, seed {manifest['seed']}, "
        f"{manifest['noise_draws']} draws"
    )
    columns = ("rows", "attempts", "tokens changed", "character distance", "length")
    table.add_column("config")
    for column in columns:
        table.add_column(column, justify="right")
    for name, entry in entries.items():
        table.add_row(
            Text(name),
            str(entry["rows"]),
            f"{entry['level']} %",
            f"{entry['token_change']:.1%}",
            f"{entry['char_distance']:.1%}",
            f"{entry['length_ratio']:.3f}",
        )
    yield table


def grid_table(results: Iterable[Built]) -> Table:
    """What became of each benchmark of a grid."""
    table = Table(caption="left out: above the ceiling; see `unreachable` in the manifests")
    for column in ("benchmark", "configs", "rows", "left out", "seconds"):
        table.add_column(column, justify="left" if column == "benchmark" else "right")
    for built in results:
        if built.manifest is None:
            cells = ["failed", "–", "–"]
        else:
            configs = built.manifest["configs"]
            rows = sum(entry["rows"] for entry in configs.values())
            cells = [str(len(configs)), f"{rows:,}", str(len(built.manifest["unreachable"]))]
        table.add_row(Text(built.benchmark), *cells, f"{built.seconds:.1f}")
    return table


def mix_line(mix: Iterable[Mapping[str, Any]]) -> str:
    """Shares of the kinds of error, realised and wanted, on one line."""
    return " · ".join(
        f"{m['type']} {m['subtype'] or _SHORT[m['operation']]} {100 * m['share']:.0f} "
        f"({100 * m['wanted']:.0f})"
        for m in mix
    )


def _notes(manifest: Mapping[str, Any]) -> Iterable[str]:
    if any(entry.get("at_ceiling") for entry in manifest["configs"].values()):
        yield "* at ceiling: every eligible slot is edited, less than a point below the level"
    for reason in manifest["unreachable"].values():
        yield f"left out: {reason}"
    invalid = manifest["invalid_pairs"]
    if invalid:
        yield f"{len(invalid)} pairs differ in more than the pronoun; pair statistics omit them"
