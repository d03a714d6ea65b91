import dataclasses

import pytest

from sociolect.generators.errors import InvalidInputError
from sociolect.generators.items import PART_NAMES, Benchmark, Item, Pair, Passage
from sociolect.generators.text import Span


def _item(member: str) -> Item:
    parts = {name: Passage("") for name in PART_NAMES}
    return Item(f"b/1/{member}", "b/1", "b", "gender", member, parts, "", ("x", "y"), 0, 1)


def test_protected_span_up_to_the_last_character() -> None:
    assert Passage("abc", (Span(1, 3), Span(3, 3))).protected[0].of("abc") == "bc"


@pytest.mark.parametrize("span", [Span(1, 4), Span(4, 4)])
def test_protected_span_past_the_end_is_refused(span: Span) -> None:
    with pytest.raises(InvalidInputError, match="ends after 'abc'"):
        Passage("abc", (span,))


def test_items_come_pair_by_pair() -> None:
    pairs = tuple(Pair(str(n), (_item("pro"), _item("anti"))) for n in range(2))
    benchmark = Benchmark("b", "gender", pairs, frozenset())
    assert [i.member for i in benchmark.items] == ["pro", "anti", "pro", "anti"]
    assert all(pair.valid and not pair.note for pair in pairs)


def test_items_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        _item("pro").gold = 1  # type: ignore[misc]
