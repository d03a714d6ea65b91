"""Items whose preferred continuation changes when a model is steered (dialect paper, App. C.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sociolect.harness.steering.sweep_pairs import Texts
from sociolect.tasks.dialect.continuation_measures import ContinuationScores

TO_AAE, TO_SAE, NONE = "to_aae", "to_sae", ""


@dataclass(frozen=True, slots=True)
class Item:
    """One pair under its AAE context.

    Attributes:
        id: Of the pair.
        context: The AAE context.
        aae: AAE continuation.
        sae: SAE continuation.
        before: b_AAE of the unsteered model in nats (Eq. 3); above 0 it prefers AAE.
        after: That of the steered one.
    """

    id: str
    context: str
    aae: str
    sae: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """Of b_AAE, in nats; above 0 towards AAE."""
        return self.after - self.before

    @property
    def flip(self) -> str:
        """`TO_AAE`, `TO_SAE`, or `NONE` where the preferred continuation is the same, or none."""
        if self.before < 0 < self.after:
            return TO_AAE
        return TO_SAE if self.after < 0 < self.before else NONE

    def record(self) -> dict[str, Any]:
        """Ready for JSON and CSV."""
        return {
            "id": self.id,
            "aae_context": self.context,
            "aae_continuation": self.aae,
            "sae_continuation": self.sae,
            "before": self.before,
            "after": self.after,
            "change": self.change,
            "flip": self.flip,
        }


@dataclass(frozen=True)
class Flips:
    """All items that were scored before and after.

    Attributes:
        items: By size of the change, flips first.
        left: Pairs that do not count, by reason.
    """

    items: tuple[Item, ...]
    left: Mapping[str, int]

    def count(self, flip: str) -> int:
        """Items of one kind of flip."""
        return sum(one.flip == flip for one in self.items)

    @property
    def p(self) -> float | None:
        """Exact sign test of both directions (McNemar); None without a flip."""
        there, back = self.count(TO_AAE), self.count(TO_SAE)
        if not there + back:
            return None
        from scipy.stats import binomtest

        return float(binomtest(there, there + back, 0.5).pvalue)

    @property
    def prefer_sae(self) -> tuple[int, int]:
        """Items whose SAE continuation is preferred before and after."""
        return sum(one.before < 0 for one in self.items), sum(one.after < 0 for one in self.items)

    def record(self) -> dict[str, Any]:
        """Counts, ready for JSON; items are in a list of their own."""
        before, after = self.prefer_sae
        return {
            "items": len(self.items),
            TO_AAE: self.count(TO_AAE),
            TO_SAE: self.count(TO_SAE),
            "p": self.p,
            "prefer_sae_before": before,
            "prefer_sae_after": after,
            "left": dict(self.left),
        }


def flips(
    base: ContinuationScores, steered: ContinuationScores, texts: Mapping[str, Texts]
) -> Flips:
    """Every item before and after.

    Args:
        base: Of the unsteered model.
        steered: Of the steered one.
        texts: By id; those of all pairs of both.
    """
    before, after = _preferences(base), _preferences(steered)
    same = {id_ for id_, differ in zip(base.ids, base.differ, strict=True) if not differ}
    asked = [id_ for id_ in dict.fromkeys([*base.ids, *steered.ids]) if id_ not in same]
    scored = [id_ for id_ in asked if id_ in before and id_ in after]
    items = [Item(id_, *texts[id_], before[id_], after[id_]) for id_ in scored]
    counted = {
        "same continuation in both varieties": len(same),
        "unscored before or after": len(asked) - len(scored),
    }
    order = sorted(items, key=lambda one: (one.flip == NONE, -abs(one.change), one.id))
    return Flips(tuple(order), {reason: n for reason, n in counted.items() if n})


def _preferences(scores: ContinuationScores) -> dict[str, float]:
    """b_AAE of the pairs that have one."""
    values: Sequence[float] = scores.b("aae").tolist()
    return {i: v for i, v in zip(scores.ids, values, strict=True) if np.isfinite(v)}
