"""Is a document one that its task asks?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sociolect.generators.dialect.pairs import BENCHMARK, VARIETIES
from sociolect.tasks.dialect.catalogue import Kind, dialect_task, is_dialect
from sociolect.tasks.dialect.gathered import ORDERS

_NO_VERSION, _NO_CONTEXT = ("",), ("",)
_SLOTS: Mapping[Kind, tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...]]] = {
    "sentiment": ((*VARIETIES, "back"), _NO_CONTEXT, (0,)),
    "continuation": (_NO_VERSION, VARIETIES, (0,)),
    "choice": (_NO_VERSION, VARIETIES, ORDERS),
}
"""By kind of task, what may be asked of a pair: versions, contexts, orders of the options."""
_OF_PAIR = ("id", "aae", "sae", "aae_back", "naturalness", "split", "group")
_ENDS = tuple(f"{variety}_boundary" for variety in VARIETIES)


def odd_field(doc: Mapping[str, Any], task: str) -> str:
    """The first field in which a document is none of its task; empty if there is none.

    Args:
        doc: With fields of the right types.
        task: lm-eval's name of the task, as in the names of files.
    """
    versions, contexts, orders = _SLOTS[doc["kind"]]
    checks = {"benchmark": doc["benchmark"] == BENCHMARK}
    if is_dialect(task):
        named = dialect_task(task)
        checks |= {k: doc[k] == getattr(named, k) for k in ("kind", "form", "wording", "prompted")}
    checks |= {
        "version": doc["version"] in versions,
        "context": doc["context"] in contexts,
        "order": doc["order"] in orders,
    }
    return next((name for name, holds in checks.items() if not holds), "")


def of_pair(doc: Mapping[str, Any]) -> str:
    """A hash of what all documents of a pair share, in every task on the same data."""
    row = [doc.get(name) for name in (*_OF_PAIR, *_ENDS)]
    text = json.dumps(row, ensure_ascii=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
