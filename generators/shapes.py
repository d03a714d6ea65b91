"""Whether values of a JSON file have the types that were written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def is_table_of(kind: type, value: object) -> bool:
    """Whether a value is a table whose entries are all of one type."""
    return isinstance(value, dict) and all(isinstance(v, kind) for v in value.values())


def is_list_of(fields: tuple[str, ...], value: object) -> bool:
    """Whether a value is a list of tables that have these fields, all texts."""
    return isinstance(value, list) and all(
        isinstance(v, dict) and all(isinstance(v.get(f), str) for f in fields) for v in value
    )


def complaint(table: Mapping[str, Any], checks: Mapping[str, bool]) -> str:
    """What of a table is missing or odd; empty if all checks hold.

    Args:
        table: What was read.
        checks: Whether each of its entries is as it should be.
    """
    wrong = [key for key, right in checks.items() if not right]
    missing = [key for key in wrong if key not in table]
    odd = [f"{key} is {json.dumps(table[key])[:40]}" for key in wrong if key in table]
    return "; ".join(([f"no {', '.join(missing)}"] if missing else []) + odd)
