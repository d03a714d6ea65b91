from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.tracing.items import TracedItem, TraceSettings

GIVEN: dict[str, Any] = {
    "id": "a", "context": (5, 6, 7), "positions": (0, 2), "matched": (8,), "other": (9, 1)
}  # fmt: skip


def test_an_item_holds_what_is_given() -> None:
    assert TracedItem(**GIVEN).positions == (0, 2)


@pytest.mark.parametrize("name", list(GIVEN))
def test_nothing_is_empty(name: str) -> None:
    with pytest.raises(InvalidInputError, match=f"has no {name}"):
        TracedItem(**{**GIVEN, name: type(GIVEN[name])()})


@pytest.mark.parametrize("positions", [(2, 0), (1, 1), (3,), (-1, 2)])
def test_positions_ascend_within_the_context(positions: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInputError, match="3 context tokens"):
        TracedItem(**{**GIVEN, "positions": positions})


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": -1.0},
        {"alpha": float("nan")},
        {"draws": 0},
        {"seed": -1},
        {"max_rows": 2},
        {"sites": "both"},
        {"method": "fast"},
    ],
)
def test_settings_are_checked(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(InvalidInputError, match=f"{name}="):
        TraceSettings(**wrong)


def test_settings_of_the_paper_are_the_defaults() -> None:
    settings = TraceSettings()
    assert (settings.alpha, settings.draws, settings.sites) == (3.0, 1, "single")
