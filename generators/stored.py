"""Rows of a build as they lie on disk, with or without the texts of the benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sociolect.generators.conditions import NOISES
from sociolect.generators.errors import DataError
from sociolect.generators.layout import PARQUET
from sociolect.generators.manifest import Manifest
from sociolect.generators.rows import Row, schema

if TYPE_CHECKING:
    import pyarrow


WITHHELD = "withheld"
"""Value of `text` in a manifest whose rows come without the texts of the benchmark."""

WITHHELD_COLUMNS: tuple[str, ...] = ("input", "question")
WITHHELD_EDIT_FIELDS: tuple[str, ...] = ("original",)


def is_withheld(manifest: Manifest) -> bool:
    """Whether the rows of this build come without `input`, `question` and edits' `original`."""
    return bool(manifest.get("text") == WITHHELD)


def columns(withheld: bool, *, noise: bool = False) -> pyarrow.Schema:
    """The columns that a config has.

    Args:
        withheld: Whether the texts of the benchmark are left out.
        noise: Whether its condition is surface noise.
    """
    import pyarrow as pa

    whole = schema(noise=noise)
    if not withheld:
        return whole
    fields = [f for f in whole if f.name not in WITHHELD_COLUMNS]
    edit = whole.field("edits").type.value_type
    kept = [f for f in edit if f.name not in WITHHELD_EDIT_FIELDS]
    at = [f.name for f in fields].index("edits")
    fields[at] = pa.field("edits", pa.list_(pa.struct(kept)))
    return pa.schema(fields)


@dataclass(frozen=True, slots=True)
class Stored:
    """The rows of a config.

    Attributes:
        rows: In the order of the file.
        problem: How the columns differ from those of this version, empty if they do not.
    """

    rows: tuple[Row, ...]
    problem: str


def read_config(folder: Path, config: str, *, withheld: bool = False) -> Stored:
    """Read the rows of one config of a build.

    Args:
        folder: The build.
        config: Name of the config.
        withheld: Whether the texts of the benchmark are left out.

    Raises:
        DataError: The file is missing or cannot be read.
    """
    import pyarrow as pa
    from pyarrow import parquet

    path = folder / config / PARQUET
    try:
        table = parquet.read_table(path)
    except FileNotFoundError:
        raise DataError(
            f"{path} is missing: the folder is incomplete; build or download it again"
        ) from None
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path} cannot be read ({error}); build or download it again") from error
    wanted = columns(withheld, noise=is_noise(config))
    return Stored(tuple(table.to_pylist()), column_problem(table, wanted))


def is_noise(config: str) -> bool:
    """Whether a config of this name has the columns of surface noise."""
    return config.partition("-")[0] in NOISES


def column_problem(table: pyarrow.Table, wanted: pyarrow.Schema) -> str:
    """How the columns of a table differ from the wanted ones; empty if they do not."""
    import pyarrow as pa

    if missing := [n for n in wanted.names if n not in table.column_names]:
        return f"no column {', '.join(missing)}"
    if more := [n for n in table.column_names if n not in wanted.names]:
        return f"unknown column {', '.join(more)}"
    if empty := [n for n in wanted.names if table[n].null_count]:
        return f"empty cells in {', '.join(empty)}"
    try:
        table.select(wanted.names).cast(wanted)
    except (pa.ArrowException, ValueError) as error:
        return str(error)
    return _empty_fields(table)


def _empty_fields(table: pyarrow.Table) -> str:
    import pyarrow.compute as pc

    for name in ("edits", "protected"):
        structs = pc.list_flatten(table[name])
        for index in range(structs.type.num_fields):
            if pc.struct_field(structs, [index]).null_count:
                return f"empty cells in {name}.{structs.type.field(index).name}"
    return ""


def one_a_pair(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The first row of every pair, in order: the members of a pair share their edits."""
    seen: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        seen.setdefault(row["pair_id"], row)
    return list(seen.values())
