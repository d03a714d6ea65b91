"""Tokens of the continuations of a run: as recorded when it ran, else counted now."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sociolect.harness.dialect.audits import TokensOf
from sociolect.harness.dialect.runs import DialectRun
from sociolect.tasks.dialect.gathered import Tokens


def tokens_of(tokenizer: str = "") -> TokensOf:
    """Where an audit gets its counts from.

    Args:
        tokenizer: Folder or name, to count with where a run recorded no counts; empty for none.

    Returns:
        A function of a run; it raises `ResultsError` for a damaged record and `InvalidInputError`
        for a tokenizer that cannot be loaded.
    """

    def counts(run: DialectRun) -> Tokens | None:
        # Only where there are continuations: it loads the tasks and all that they need.
        from sociolect.harness.dialect.token_counts import count_tokens, recorded_tokens

        found = recorded_tokens(run.files)
        if found is None and tokenizer:
            found = count_tokens(tokenizer, _documents(run))
        return found

    return counts


def _documents(run: DialectRun) -> Iterator[Mapping[str, Any]]:
    """The documents again, which were checked when the answers were read."""
    with run.files.samples.open("rb") as file:
        for line in file:
            if not line.isspace():
                yield json.loads(line)["doc"]
