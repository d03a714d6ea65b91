from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sociolect.generators.uniform import ALGORITHM_VERSION, Uniforms


def test_a_number_is_the_hash_of_its_name() -> None:
    name = f"{ALGORITHM_VERSION}|7|winobias|winobias/type1/0001|input|det:3:deletion:select"
    expected = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big") / 2**64
    numbers = Uniforms(7, "winobias", "winobias/type1/0001", "input")
    assert numbers("det:3:deletion:select") == expected


def test_asking_in_any_order_gives_the_same_numbers() -> None:
    names = [f"slot {i}" for i in range(50)]
    forward = Uniforms(0, "b", "p", "input")
    backward = Uniforms(0, "b", "p", "input")
    assert [forward(n) for n in names] == [backward(n) for n in reversed(names)][::-1]


@given(st.integers(0, 2**62), st.text(max_size=20), st.text(max_size=20))
def test_numbers_lie_between_zero_and_one(seed: int, scope: str, name: str) -> None:
    assert 0 <= Uniforms(seed, scope)(name) < 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Uniforms(0, "b", "p1", "input"), Uniforms(1, "b", "p1", "input")),
        (Uniforms(0, "b", "p1", "input"), Uniforms(0, "b", "p2", "input")),
        (Uniforms(0, "b", "p1", "input"), Uniforms(0, "b", "p1", "instruction")),
        (Uniforms(0, "b", "p1", "input"), Uniforms(0, "c", "p1", "input")),
    ],
    ids=["seed", "pair", "part", "benchmark"],
)
def test_every_part_of_the_scope_matters(one: Uniforms, other: Uniforms) -> None:
    assert one("slot") != other("slot")


def test_the_numbers_are_uniform() -> None:
    numbers = Uniforms(0, "b")
    sample = [numbers(f"slot {i}") for i in range(5000)]
    assert stats.kstest(sample, "uniform").pvalue > 0.001
