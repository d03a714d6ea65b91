"""The comparison with other tools; needs the environment that scripts/peers.sh makes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import peers
import pytest
from rich.table import Table

pytestmark = pytest.mark.benchmark


def test_other_tools_on_the_same_sentences(
    sources: Path, show: Callable[[Table | str], None]
) -> None:
    if not peers.READY.is_file():
        pytest.skip("no environment of other tools; make it with: bash scripts/peers.sh")
    sentences, protected, found = peers.measure(sources)
    show(peers.markdown(sentences, protected, found))
    ours = [f for f in found if f.tool.startswith("sociolect")]
    assert len(ours) == len(peers.OURS)
    for figures in ours:
        assert figures.lost == figures.hit == figures.reordered == figures.repeated == 0
        assert figures.per_second > 0
    others = [f for f in found if f not in ours and not f.error]
    assert others


def test_what_is_counted() -> None:
    sentences = ["The guard told her.", "The guard sat down.", "He ran."]
    outputs = ["The gaurd told him.", "The guard sat down.", "He run."]
    result = {"seconds": 0.5, "outputs": outputs, "again": outputs, "reversed": sentences}
    found = peers.figures("a tool", sentences, result, ["guard", "he", "her", "him"])
    assert found.per_second == 6
    assert found.realised == pytest.approx((2 / 4 + 0 + 1 / 2) / 3)
    assert (found.unchanged, found.lost, found.hit) == (1, 2, 1)
    assert (found.reordered, found.repeated) == (2, 0)
