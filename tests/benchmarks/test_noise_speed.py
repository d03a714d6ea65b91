"""How fast noise is made, and how much it changes; beside nlpaug where its environment exists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import noise_peers
import noise_rates
import pytest
from rich.table import Table

pytestmark = pytest.mark.benchmark

Show = Callable[[Table | str], None]


@pytest.fixture(scope="module")
def responses(sources: Path) -> list[str]:
    return noise_rates.texts(sources, noise_rates.N_ITEMS)


def test_25_conditions_of_responses_as_long_as_the_papers(responses: list[str], show: Show) -> None:
    longer = noise_peers.long_texts(responses)
    seconds = noise_peers.every_condition(longer)
    show(f"\n25 conditions of {len(longer):,} responses of 60 tokens: {seconds:.1f} CPU seconds")
    assert seconds < 30


def test_nlpaug_on_the_same_responses(responses: list[str], show: Show) -> None:
    if not noise_peers.READY.is_file():
        pytest.skip("no environment of nlpaug; make it with: bash scripts/noise_peers.sh")
    theirs = noise_peers.of_nlpaug(responses)
    ours = noise_peers.of_sociolect(responses)
    show("\n" + noise_peers.markdown(len(responses), [*theirs, *ours]))
    fastest = max(f.per_second for f in theirs if not f.error)
    assert all(f.together > fastest for f in ours if f.tool != "sociolect combined")
    assert len(responses) * 25 / noise_peers.every_condition(responses) > fastest


def test_realised_rates(sources: Path, show: Show) -> None:
    clean = noise_rates.texts(sources)
    for draws in noise_rates.DRAWS:
        show("\n" + noise_rates.markdown(noise_rates.rates(clean, draws), draws))
    assert len(clean) > 200
