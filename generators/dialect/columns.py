"""Whether the columns of a table of pairs are those that a build writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sociolect.generators.faults import shown

if TYPE_CHECKING:
    import pyarrow

NULLABLE = ("naturalness", "aae_boundary", "sae_boundary")
"""Columns that may have empty cells."""


def column_problem(table: pyarrow.Table, wanted: pyarrow.Schema) -> str:
    """How the columns of a table differ from the wanted ones; empty if they do not.

    A type that could be cast differs too: readers of a release get the file as it is.
    """
    import pyarrow as pa

    names = [str(name) for name in table.column_names]
    if missing := [n for n in wanted.names if n not in names]:
        return f"no column {', '.join(missing)}"
    if more := [n for n in names if n not in wanted.names]:
        return f"unknown column {', '.join(map(shown, more))}"
    if twice := [n for n in wanted.names if names.count(n) > 1]:
        return f"more than one column {', '.join(twice)}"
    if empty := [n for n in wanted.names if n not in NULLABLE and table[n].null_count]:
        return f"empty cells in {', '.join(empty)}"
    types = [(f.name, table[f.name].type, f.type) for f in wanted]
    if other := [f"{name} is {found}, not {kind}" for name, found, kind in types if found != kind]:
        return "; ".join(other)
    try:
        table.validate(full=True)
    except pa.ArrowException as error:
        return str(error)
    return ""
