"""Which differences are tested, and which are marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from sociolect.harness.dialect.audits import Key
from sociolect.harness.dialect.differences import Difference, Versus
from sociolect.harness.dialect.findings import audit
from sociolect.harness.dialect.methods import Method
from sociolect.harness.dialect.runs import read_runs
from sociolect.harness.dialect.system_names import datasets
from sociolect.tasks.dialect.measures import Measure, Scale

from .dialect_runs import Pair, Writer, pairs

TASK = "aae_choice_best"
SLOTS = [("aae", 0), ("aae", 1), ("sae", 0), ("sae", 1)]


def differences(root: Path) -> dict[str, Difference]:
    (dataset,) = datasets(read_runs([root])[0])
    systems = audit(dataset, Method(resamples=200, permutations=99), lambda run: None).systems
    return {key.measure: one for key, one in systems[1].differences.items()}


def of(weights: Sequence[float], scale: Scale = "share") -> Measure:
    counts = np.array(weights, dtype=np.float64)
    return Measure("m", counts / 2, counts, scale)


@pytest.mark.parametrize(
    ("base", "other", "alike"),
    [
        (of([2, 2, 0]), of([2, 2, 2]), True),
        (of([2, 2, 0]), of([2, 2, 1]), True),  # the last pair counts in one alone
        (of([2, 2, 1]), of([2, 2, 1]), False),
        (of([2, 2, 2]), of([1, 1, 1]), False),
        (of([5, 5], "perplexity"), of([5, 5], "perplexity"), False),
    ],
)
def test_a_difference_is_a_mean_of_pairs_where_all_weigh_alike(
    base: Measure, other: Measure, alike: bool
) -> None:
    """Then the test is of the number that is shown."""
    one = Versus(0, Key(TASK, "m"), base, other)
    assert one.alike == alike


def test_matches_with_missing_answers_are_tested_as_they_are_shown(tmp_path: Path) -> None:
    """A pair that lacks an answer counts in no match of its context, so the others weigh alike."""
    write = Writer(tmp_path, pairs(40))
    write.choice(dict.fromkeys(SLOTS, "s" * 40))
    other = dict.fromkeys(SLOTS, "a" * 40) | {("aae", 1): "?" * 4 + "a" * 36}
    write.choice(other, prompted=True)
    found = differences(tmp_path)
    match = found["aae_match"]
    assert (match.n, match.base, match.value, match.p) == (36, 0, 1, 0.01)
    assert found["sae_match"].delta == -1
    first = found["first_option"]
    assert (first.n, first.delta, first.p) == (36, 0, 1)


@pytest.mark.parametrize(("groups", "doubtful"), [(29, True), (30, False), (60, False)])
def test_differences_of_few_groups_are_marked(tmp_path: Path, groups: int, doubtful: bool) -> None:
    grouped = [Pair(f"p{number}", group=f"item {number % groups}") for number in range(60)]
    write = Writer(tmp_path, grouped)
    for prompted in (False, True):
        write.choice(dict.fromkeys(SLOTS, "as" * 30), prompted=prompted)
    found = differences(tmp_path)["aae_match"]
    assert (found.n, found.clusters, found.doubtful) == (60, groups, doubtful)
