"""Were the continuations of a system and of its Base counted by one tokenizer?"""

from __future__ import annotations

import numpy as np

from sociolect.harness.dialect.findings import Audit, Audited
from sociolect.tasks.dialect.continuation_measures import ContinuationScores

ONE_TOKEN = 1
"""By so much a count may differ: what comes before a continuation can move its first token."""
MOST = 0.05
"""Share of the counts that may differ by more; a tokenizer is the same or it is not."""


def other_tokenizers(audit: Audit) -> list[str]:
    """Sentences on systems whose tokens are not those of their Base."""
    found = []
    for one in audit.systems:
        base = audit.dataset.base_of(one.system)
        of_base = next((other for other in audit.systems if other.system is base), None)
        share = None if of_base is None else _differing(of_base, one)
        if share is not None and share > MOST:
            found.append(
                f"{one.system.label}: {100 * share:.0f} % of its continuations have other numbers "
                "of tokens than in Base: two tokenizers counted, one perhaps when the model was "
                "asked and one now (--tokenizer). Perplexities and forms per token of the two are "
                "not comparable; ask both with `sociolect eval`."
            )
    return found


def _differing(base: Audited, other: Audited) -> float | None:
    """Share of the counts of both that differ; None where one has none."""
    first, second = base.answers.scores, other.answers.scores
    if first is None or second is None or first.tokens is None or second.tokens is None:
        return None
    there = set(second.ids)
    common = [id_ for id_ in first.ids if id_ in there]
    if not common:
        return None
    counts = [_counts(scores, common) for scores in (first, second)]
    apart = np.abs(counts[0] - counts[1])
    known = apart[np.isfinite(apart)]  # a context that was not asked has no count
    return float((known > ONE_TOKEN).mean()) if known.size else None


def _counts(scores: ContinuationScores, ids: list[str]) -> np.ndarray:
    """Tokens of pairs, shape (combinations, pairs)."""
    place = {id_: number for number, id_ in enumerate(scores.ids)}
    at = [place[id_] for id_ in ids]
    tokens = scores.tokens or {}
    return np.stack([tokens[combination][at] for combination in sorted(tokens)])
