"""All prompt sets are seen in one order, and rows that fill a batch up teach nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tiny_models import byte_tokenizer, examples

from sociolect.steering.lora.encode import encode
from sociolect.steering.lora.order import filled_up, training_order

CLEAN = encode(byte_tokenizer(), examples(22, errors=False))
ERRORS = encode(byte_tokenizer(), examples(22, errors=True))


def test_the_order_depends_on_seed_and_epoch_and_on_nothing_else() -> None:
    def order(sets: tuple, seed: int, epochs: int = 1) -> list[str]:
        return [e.name for e in training_order(sets, seed, epochs)]

    names = [e.name for e in CLEAN]
    assert order(CLEAN, 0) == order(ERRORS, 0) == order(CLEAN[::-1], 0)
    assert order(CLEAN, 0) != names
    assert order(CLEAN, 0) != order(CLEAN, 1)
    two = order(CLEAN, 0, 2)
    assert sorted(two[:22]) == sorted(two[22:]) == sorted(names)
    assert two[:22] == order(CLEAN, 0) != two[22:]


@given(count=st.integers(1, 22), multiple=st.integers(1, 9))
def test_rows_fill_up_to_a_multiple_without_a_target(count: int, multiple: int) -> None:
    rows = filled_up(CLEAN[:count], multiple)
    assert len(rows) % multiple == 0
    assert len(rows) - count < multiple
    for row, example in zip(rows, CLEAN[:count], strict=False):
        assert row["input_ids"] == [*example.prompt, *example.completion]
        assert row["completion_mask"] == [0] * len(example.prompt) + [1] * len(example.completion)
    assert not any(any(row["completion_mask"]) for row in rows[count:])
