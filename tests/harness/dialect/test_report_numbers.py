"""Every number of the report against a case worked by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sociolect.generators.dialect.lexicon import CLASSES
from sociolect.harness.dialect.audits import Key
from sociolect.harness.dialect.findings import Audit, Estimate, audit
from sociolect.harness.dialect.methods import Method
from sociolect.harness.dialect.runs import read_runs
from sociolect.harness.dialect.system_names import datasets

from .dialect_runs import Pair, Writer, pairs

QUICK = Method(resamples=200, permutations=99)
C = "aae_continuation"


def audited(root: Path, method: Method = QUICK, tokens: Mapping[str, Any] | None = None) -> Audit:
    (dataset,) = datasets(read_runs([root])[0])
    return audit(dataset, method, lambda run: tokens)


def estimates(root: Path, **options: Any) -> Mapping[Key, Estimate]:
    (one,) = audited(root, **options).systems
    return one.estimates


@pytest.mark.parametrize(
    ("form", "task"), [("reason", "aae_sentiment"), ("ll", "aae_sentiment_ll")]
)
def test_agreement_of_labels(tmp_path: Path, form: str, task: str) -> None:
    of = [
        Pair("same"),  # one label on all three
        Pair("drift"),  # AAE and SAE agree, the back-translation does not
        Pair("dialect"),  # stable under back-translation, SAE differs
        Pair("unnatural", naturalness=0.5),  # half of the raters are not more than half
        Pair("unjudged", naturalness=None),
        Pair("no back", back=False),
        Pair("unanswered"),
    ]
    labels = {
        "aae": [0, 1, 2, 0, 1, 0, -1],
        "sae": [0, 1, 0, 0, 2, 0, 0],
        "back": [0, 2, 2, 0, 1, -9, 0],
    }
    Writer(tmp_path, of).sentiment(labels, form)
    found = estimates(tmp_path)
    # Same: same, drift, unnatural, no back, of six that were answered.
    assert (found[Key(task, "dgi")].value, found[Key(task, "dgi")].n) == (4 / 6, 6)
    # Same, unnatural, of the five with a back-translation.
    two_way = found[Key(task, "two_way_dgi")]
    assert (two_way.value, two_way.n) == (2 / 5, 5)
    # Natural and stable: same, dialect.
    assert (found[Key(task, "cdgi")].value, found[Key(task, "cdgi")].n) == (1 / 2, 2)
    # Stable: same, dialect, unnatural, unjudged.
    any_ = found[Key(task, "cdgi_any")]
    assert (any_.value, any_.n) == (2 / 4, 4)
    assert found[Key(task, "cdgi")].left == {
        "no back-translation": 1,
        "not judged": 1,
        "judged unnatural": 1,
        "unanswered": 1,
        "label changed by back-translation": 1,
    }


def test_preferences_and_perplexities(tmp_path: Path) -> None:
    # By context and continuation.
    log_p = {
        ("aae", "aae"): [-10.0, -6.0],
        ("aae", "sae"): [-8.0, -7.0],
        ("sae", "aae"): [-12.0, -9.0],
        ("sae", "sae"): [-5.0, -3.0],
    }
    tokens = {
        ("aae", "aae"): [5, 3],
        ("aae", "sae"): [4, 7],
        ("sae", "aae"): [6, 3],
        ("sae", "sae"): [5, 1],
    }
    counts = {
        f"p{i:03d}": {x: [tokens[x, y][i] for y in ("aae", "sae")] for x in ("aae", "sae")}
        for i in range(2)
    }
    Writer(tmp_path, pairs(2)).continuation(log_p)
    found = {key.measure: one for key, one in estimates(tmp_path, tokens=counts).items()}
    value = {name: one.value for name, one in found.items()}
    # b_SAE = −5+12 = 7, −3+9 = 6; b_AAE = −10+8 = −2, −6+7 = 1.
    assert value["b_sae_sum"] == pytest.approx(6.5)
    assert value["b_aae_sum"] == pytest.approx(-0.5)
    assert value["lp_sum"] == pytest.approx(7.0)
    assert value["interaction_sum"] == pytest.approx(6.0)
    # A token: b_SAE = −1+2 = 1, −3+3 = 0; b_AAE = −2+2 = 0, −2+1 = −1.
    assert value["b_sae_token"] == pytest.approx(0.5)
    assert value["b_aae_token"] == pytest.approx(-0.5)
    assert value["lp_token"] == pytest.approx(1.0)
    assert value["interaction_token"] == pytest.approx(0.0)
    assert value["ppl_aae_aae"] == pytest.approx(math.exp(16 / 8))
    assert value["ppl_aae_sae"] == pytest.approx(math.exp(15 / 11))
    assert value["ppl_sae_aae"] == pytest.approx(math.exp(21 / 9))
    assert value["ppl_sae_sae"] == pytest.approx(math.exp(8 / 6))
    assert value["prefers_sae_in_sae"] == 1.0
    assert value["prefers_sae_in_aae"] == 0.5
    # Both texts hold "they be" and nothing else of the lexicon.
    assert value["lp_sum_differing[aspectual]"] == pytest.approx(7.0)
    assert (found["lp_sum_differing[syntactic]"].n, value["lp_sum_differing[syntactic]"]) == (
        0,
        None,
    )
    assert {one.interval for one in found.values()} == {None}, "two pairs have no interval"


def test_a_zero_lp_is_no_match_of_dialects(tmp_path: Path) -> None:
    """Whoever ignores the context and whoever follows it alike have an LP of 0."""
    Writer(tmp_path / "blind", pairs(6)).continuation(dict.fromkeys(ORDER, [-5.0] * 6))
    follows = {(x, y): [-4.0 if x == y else -9.0] * 6 for x, y in ORDER}
    Writer(tmp_path / "match", pairs(6)).continuation(follows)
    blind, match = (estimates(tmp_path / name) for name in ("blind", "match"))
    assert blind[Key(C, "lp_sum")].value == match[Key(C, "lp_sum")].value == 0
    assert blind[Key(C, "interaction_sum")].value == 0
    assert match[Key(C, "interaction_sum")].value == 10


ORDER = [(x, y) for x in ("aae", "sae") for y in ("aae", "sae")]


def test_choices(tmp_path: Path) -> None:
    # Pair 1: follows the context; pair 2: always the first option; pair 3: SAE, one answer
    # missing; pair 4: SAE, one answer a tie.
    chosen = {("aae", 0): "aass", ("aae", 1): "as?=", ("sae", 0): "sass", ("sae", 1): "ssss"}
    Writer(tmp_path, pairs(4)).choice(chosen, "likely")
    found = estimates(tmp_path)
    task = "aae_choice_likely"
    # AAE context: pair 1 two of two, pair 2 one, pair 4 half; pair 3 is not there in both orders.
    assert found[Key(task, "aae_match")].value == pytest.approx(3.5 / 6)
    assert found[Key(task, "aae_match")].left == {"unanswered": 1}
    # SAE context: two, one, two, two of two each.
    assert found[Key(task, "sae_match")].value == pytest.approx(7 / 8)
    # First: pair 1 one of two in each context, pair 2 all four, pair 4 one and a half of four:
    # none and the half of a tie in the AAE context, one in the SAE context.
    assert found[Key(task, "first_option")].value == pytest.approx((2 + 4 + 1.5) / 12)
    assert audited(tmp_path).systems[0].answers.counts[task] == (16, 1)


def test_a_difference_is_over_the_pairs_that_both_answered(tmp_path: Path) -> None:
    write = Writer(tmp_path, pairs(8))
    write.sentiment({"aae": [0] * 8, "sae": [0, 0, 0, 0, 1, 1, 1, 1], "back": [0] * 8})
    # The last pair is unanswered; the third and fourth change.
    other = {"aae": [0] * 7 + [-1], "sae": [0, 0, 1, 1, 1, 1, 1, 1], "back": [0] * 8}
    write.sentiment(other, prompted=True)
    base, prompt = audited(tmp_path).systems
    assert (base.system.name, prompt.system.name) == ("Base", "Prompt")
    found = prompt.differences[Key("aae_sentiment", "dgi")]
    assert (found.n, found.base, found.value) == (7, 4 / 7, 2 / 7)
    assert found.delta == pytest.approx(-2 / 7)
    assert base.estimates[Key("aae_sentiment", "dgi")].value == 4 / 8
    # Two signs decide: |sum| is at least 2 in half of the swaps, whatever the other five pairs.
    assert found.p == pytest.approx(0.5, abs=0.2)
    assert found.p_holm == found.p
    conditional = prompt.differences[Key("aae_sentiment", "cdgi")]
    assert (conditional.p, conditional.base, conditional.value) == (None, 4 / 8, 2 / 7)
    assert (conditional.n_base, conditional.n_value) == (8, 7)


def test_a_difference_over_a_selection_of_the_pairs_is_marked(tmp_path: Path) -> None:
    for lost in (12, 13):
        write = Writer(tmp_path / str(lost), pairs(60))
        zeros = [0] * 60
        write.sentiment({"aae": zeros, "sae": zeros, "back": zeros})
        some = [-1] * lost + [0] * (60 - lost)
        write.sentiment({"aae": some, "sae": zeros, "back": zeros}, prompted=True)
        found = audited(write.root).systems[1].differences[Key("aae_sentiment", "dgi")]
        assert (found.n, found.either, found.doubtful) == (60 - lost, 60, lost > 12)
        assert found.p == 1


def test_holm_is_over_the_systems(tmp_path: Path) -> None:
    write, rng = Writer(tmp_path, pairs(40)), np.random.default_rng(0)
    flat = {c: rng.normal(-20, 2, 40) for c in ORDER}
    write.continuation(flat)
    for beta in (0.2, 0.6, 1.0):
        moved = {
            c: v + (beta * rng.normal(1, 1, 40) if c[1] == "aae" else 0) for c, v in flat.items()
        }
        arguments = {"steering": "/runs/direction", "beta": beta}
        write.continuation(moved, folder=f"b{beta}", arguments=arguments)
    base, *steered = audited(tmp_path).systems
    assert not base.differences
    assert [one.system.name for one in steered] == [
        f"steered direction β={b}" for b in (0.2, 0.6, 1.0)
    ]
    found = [one.differences[Key(C, "lp_sum")] for one in steered]
    assert [one.p for one in found] == [0.01] * 3
    assert [one.p_holm for one in found] == pytest.approx([0.03] * 3)
    assert all(one.delta < 0 for one in found)


def test_pairs_of_a_group_are_exchanged_together(tmp_path: Path) -> None:
    """Four pairs that change alike are one observation if they are one item."""
    for name, grouped in (("apart", False), ("together", True)):
        of = pairs(12)
        for number, pair in enumerate(of):
            pair.group = f"item {number // 4}" if grouped else ""
        write = Writer(tmp_path / name, of)
        same = [-9.0] * 12
        write.continuation(dict.fromkeys(ORDER, same))
        moved = {c: [-8.0] * 12 if c[1] == "aae" else same for c in ORDER}
        write.continuation(moved, prompted=True)
    apart, together = (
        audited(tmp_path / name).systems[1].differences[Key(C, "lp_sum")]
        for name in ("apart", "together")
    )
    assert apart.delta == together.delta == -2
    assert apart.p == 0.01  # 2 of 2^12 swaps are as far from 0
    assert together.p == pytest.approx(0.25, abs=0.12)  # 2 of 2^3
    assert together.interval is None, "three groups have none"


def test_few_pairs_and_shares_at_an_end_are_marked(tmp_path: Path) -> None:
    for count, wrong in ((29, 10), (30, 10), (60, 4), (60, 5)):
        write = Writer(tmp_path / f"{count}-{wrong}", pairs(count))
        labels = [1] * wrong + [0] * (count - wrong)
        write.sentiment({"aae": labels, "sae": [0] * count, "back": labels})
    marked = {
        name: estimates(tmp_path / name)[Key("aae_sentiment", "dgi")].doubtful
        for name in ("29-10", "30-10", "60-4", "60-5")
    }
    assert marked == {"29-10": True, "30-10": False, "60-4": True, "60-5": False}


@pytest.mark.parametrize(("groups", "interval", "marked"), [(6, True, True), (30, True, False)])
def test_few_groups_are_marked_however_many_pairs(
    tmp_path: Path, groups: int, interval: bool, marked: bool
) -> None:
    of, rng = pairs(60), np.random.default_rng(1)
    for number, pair in enumerate(of):
        pair.group = f"item {number % groups}"
    Writer(tmp_path, of).continuation({c: rng.normal(-20, 2, 60) for c in ORDER})
    (one,) = audited(tmp_path).systems
    found = one.estimates[Key(C, "lp_sum")]
    assert (found.n, found.clusters) == (60, groups)
    assert (found.interval is not None, found.doubtful) == (interval, marked)
    group = one.features[0].group("aspectual")
    assert (group.clusters, group.interval, group.few) == (groups, found.interval, marked)


def test_a_class_says_what_is_unanswered_in_it(tmp_path: Path) -> None:
    of = pairs(12)
    for pair in of[:8]:
        pair.aae = "that is all that i know"
    lost = [math.nan if number in (0, 1, 9) else -9.0 - number for number in range(12)]
    Writer(tmp_path, of).continuation(dict.fromkeys(ORDER, lost))
    found = estimates(tmp_path)
    left = {name: found[Key(C, name)].left for name in ("lp_sum", *map(_of_class, CLASSES))}
    assert left["lp_sum"] == {"unanswered": 3}
    assert left[_of_class("aspectual")] == {"unanswered": 1}
    assert left[_of_class("syntactic")] == {}
    none = found[Key(C, _of_class("none"))]
    assert (none.n, none.left) == (6, {"unanswered": 2})


def _of_class(name: str) -> str:
    return f"lp_sum_differing[{name}]"


def test_classes_of_features_have_the_intervals_of_the_common_resamples(tmp_path: Path) -> None:
    of, rng = pairs(40), np.random.default_rng(1)
    for pair in of[::2]:
        pair.aae = "that is all that i know"
    Writer(tmp_path, of).continuation({c: rng.normal(-20, 2, 40) for c in ORDER})
    (one,) = audited(tmp_path).systems
    (found,) = one.features
    for name, measure in (
        ("all", "lp_sum"),
        ("aspectual", "lp_sum_differing[aspectual]"),
        ("none", "lp_sum_differing[none]"),
    ):
        estimate, group = one.estimates[Key(C, measure)], found.group(name)
        assert (group.n, group.value) == (estimate.n, pytest.approx(estimate.value))
        assert group.interval == estimate.interval
        assert group.interval is not None
    assert [found.group(name).n for name in ("all", "aspectual", "none")] == [40, 20, 20]
    assert found.method.resamples == QUICK.resamples


def test_one_answer_to_everything_is_marked(tmp_path: Path) -> None:
    write = Writer(tmp_path, pairs(4))
    write.sentiment({"aae": [1, 1, 1, -1], "sae": [1] * 4, "back": [1] * 4})
    write.sentiment({"aae": [1] * 4, "sae": [1, 1, 1, 0], "back": [1] * 4}, "ll")
    slots = [(context, order) for context in ("aae", "sae") for order in (0, 1)]
    first = {(context, order): "ssss" if order else "aaaa" for context, order in slots}
    write.choice(first, "best")
    write.choice({(c, o): "aaaa" if o else "ssss" for c, o in slots}, "likely")
    write.choice(dict.fromkeys(slots, "ssss"), "stylistic")
    found = estimates(tmp_path)
    marked = {key.task: found[key].uninformative for key in found if key.measure in _PLAIN}
    assert marked == {
        "aae_sentiment": True,
        "aae_sentiment_ll": False,
        "aae_choice_best": True,
        "aae_choice_likely": True,
        "aae_choice_stylistic": False,
    }
    share = found[Key("aae_sentiment_ll", "negative_sae")]
    assert (share.value, share.n, share.uninformative) == (0.25, 4, False)


_PLAIN = ("dgi", "aae_match")


def test_unanswered_pairs_are_counted_as_the_task_counts_them(tmp_path: Path) -> None:
    log_p = {c: [-9.0] * 4 for c in ORDER}
    log_p["sae", "aae"] = [-math.inf, -9.0, -9.0, -9.0]
    Writer(tmp_path, pairs(4)).continuation(log_p)
    (one,) = audited(tmp_path).systems
    assert one.answers.counts[C] == (4, 1)
    assert one.estimates[Key(C, "lp_sum")].left == {"unanswered": 1}


def test_pairs_that_a_task_lacks_have_a_reason(tmp_path: Path) -> None:
    of = pairs(4)
    of[0].sae = of[0].aae
    Writer(tmp_path, of).continuation({c: [-9.0] * 4 for c in ORDER})
    asked = {(context, order): "as" for context in ("aae", "sae") for order in (0, 1)}
    Writer(tmp_path, of[1:3]).choice(asked)
    found = estimates(tmp_path)
    assert found[Key("aae_choice_best", "aae_match")].left == {
        "same continuation in both varieties": 1,
        "not asked": 1,
    }
    assert found[Key(C, "lp_sum")].left == {}
    assert found[Key(C, "lp_sum_differing")].left == {"same continuation in both varieties": 1}
    assert found[Key(C, "lp_sum_differing[aspectual]")].n == 3
