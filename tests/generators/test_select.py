from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from sociolect.generators.benchmarks.coreference import GENDER_WORDS
from sociolect.generators.conditions import ERROR_TYPES, ErrorType
from sociolect.generators.items import Benchmark, Passage
from sociolect.generators.learner.slots import DELETED, Slot
from sociolect.generators.learner.tables import Pool, shares
from sociolect.generators.select import choose, list_slots
from sociolect.generators.state import Choice
from sociolect.generators.text import Span, apply, ordered
from sociolect.generators.uniform import Uniforms
from sociolect.generators.units import Unit, make_units

UnitOf = Callable[..., Unit]
Tiny = Callable[..., Benchmark]
DELETE = Pool("det", "deletion")
REPLACE = Pool("det", "replacement")
INSERT = Pool("det", "insertion")


class Fixed(Uniforms):
    """Numbers by hand: the one whose name is given, else 0."""

    def __init__(self, **numbers: float) -> None:
        super().__init__(0)
        self.numbers = numbers

    def __call__(self, name: str) -> float:
        return self.numbers.get(name.replace(":", "_"), 0.0)


def token(unit: Unit, text: str) -> int:
    return next(w.index for w in unit.analysis.words if w.text == text)


def take(unit: Unit, slots: Iterable[Slot], *types: ErrorType, **numbers: float) -> list[Choice]:
    """Choices of hand-made slots; without numbers, in the order of their pools and tokens."""
    (choices,) = choose([unit], [list(slots)], [Fixed(**numbers)], types or ("det",))
    return choices


def errored(unit: Unit, choices: Iterable[Choice], member: int = 0) -> str:
    edits = [e for c in choices for e in c.edits[member]]
    return apply(unit.members[member].text, ordered(edits))


def test_the_key_is_the_number_times_pool_size_over_share(unit_of: UnitOf) -> None:
    unit = unit_of("The dog saw the cat.")
    slots = [Slot(0, DELETE, DELETED), Slot(3, DELETE, DELETED)]
    found = take(unit, slots, det_0_deletion__select=0.5, det_3_deletion__select=0.25)
    share = shares(("det",))[DELETE]
    assert [c.slot.token for c in found] == [3, 0]
    assert [c.key for c in found] == pytest.approx([0.25 * 2 / share, 0.5 * 2 / share])


def test_the_pool_size_is_that_of_the_whole_benchmark(tiny: Tiny) -> None:
    units = make_units(tiny(("The dog ran.",), ("The cat ran.",)).pairs, "input")
    slots = [[Slot(0, DELETE, DELETED)]] * 2
    numbers = [Fixed(det_0_deletion__select=0.5)] * 2
    found = choose(units, slots, numbers, ("det",))
    assert found[0][0].key == pytest.approx(0.5 * 2 / shares(("det",))[DELETE])


def test_more_types_stretch_the_keys_of_one(unit_of: UnitOf) -> None:
    unit = unit_of("The dog ran.")
    slots = [Slot(0, DELETE, DELETED)]
    alone = take(unit, slots, "det", det_0_deletion__select=0.5)
    mixed = take(unit, slots, *ERROR_TYPES, det_0_deletion__select=0.5)
    share = shares(("det",))[DELETE] / shares(ERROR_TYPES)[DELETE]
    assert mixed[0].key == pytest.approx(alone[0].key * share)


def test_a_token_is_edited_once(unit_of: UnitOf) -> None:
    unit = unit_of("The dog ran.")
    slots = [Slot(0, DELETE, DELETED), Slot(0, REPLACE, (("this",),))]
    assert len(take(unit, slots)) == 1
    first = take(unit, slots, det_0_deletion__select=0.9)
    assert [c.slot.pool for c in first] == [REPLACE]


def test_a_gap_is_filled_once(unit_of: UnitOf) -> None:
    unit = unit_of("Dogs ran home.")
    slots = [Slot(0, INSERT, (("the",),)), Slot(0, Pool("prep", "insertion"), (("of",),))]
    assert len(take(unit, slots, "det", "prep")) == 1


def test_a_deletion_and_an_insertion_side_by_side_exclude_each_other(unit_of: UnitOf) -> None:
    unit = unit_of("He saw the dog.")
    the, dog = token(unit, "the"), token(unit, "dog")
    deletion = Slot(the, DELETE, DELETED)
    for insertion in (Slot(the, INSERT, (("a",),)), Slot(dog, INSERT, (("a",),))):
        name = f"det_{insertion.token}_insertion__select"
        assert [c.slot for c in take(unit, [deletion, insertion], **{name: 0.9})] == [deletion]
        found = take(unit, [deletion, insertion], det_2_deletion__select=0.9)
        assert [c.slot for c in found] == [insertion]


def test_beside_means_the_nearest_counted_token(unit_of: UnitOf) -> None:
    unit = unit_of("He saw the (nurse) dog.", protect="nurse")
    slots = [Slot(token(unit, "the"), DELETE, DELETED), Slot(token(unit, "dog"), INSERT, (("a",),))]
    assert len(take(unit, slots)) == 1


def test_slots_of_one_verb_group_exclude_each_other(unit_of: UnitOf) -> None:
    unit = unit_of("He has been asking.")
    pool = Pool("verb", "replacement", "form")
    slots = [Slot(1, pool, (("had",),), group=3), Slot(3, pool, (("ask",),), group=3)]
    assert len(take(unit, slots, "verb")) == 1
    ungrouped = [Slot(s.token, s.pool, s.outcomes) for s in slots]
    assert len(take(unit, ungrouped, "verb")) == 2


@pytest.mark.parametrize(
    ("text", "slot", "expected"),
    [
        ("He saw the apple.", Slot(2, REPLACE, (("a", "an"),)), "He saw an apple."),
        ("He saw the dog.", Slot(2, REPLACE, (("an", "a"),)), "He saw a dog."),
        ("He saw apples.", Slot(2, INSERT, (("a", "an"),)), "He saw an apples."),
        ("He saw the big apple.", Slot(2, REPLACE, (("an", "a"),)), "He saw a big apple."),
        ("He saw the “apple”.", Slot(2, REPLACE, (("a", "an"),)), "He saw an “apple”."),
    ],
)
def test_an_outcome_that_would_clash_is_not_drawn(
    unit_of: UnitOf, text: str, slot: Slot, expected: str
) -> None:
    unit = unit_of(text)
    assert errored(unit, take(unit, [slot])) == expected


def test_no_outcome_without_a_clash_no_choice(unit_of: UnitOf) -> None:
    unit = unit_of("He saw an old dog.")
    assert (
        take(unit, [Slot(3, Pool("spell", "replacement", "nonword"), (("bld",),))], "spell") == []
    )


def test_a_deletion_that_would_bring_a_clash_is_not_made(unit_of: UnitOf) -> None:
    unit = unit_of("He saw a this apple.")
    assert take(unit, [Slot(3, DELETE, DELETED)]) == []
    unit = unit_of("He saw a this dog.")
    assert len(take(unit, [Slot(3, DELETE, DELETED)])) == 1


def test_the_clash_is_judged_by_every_member(unit_of: UnitOf) -> None:
    unit = unit_of("He saw the old dog.", "He saw the big dog.")
    assert take(unit, [Slot(2, REPLACE, (("a", "an"),))]) == []


def test_the_clash_is_judged_by_what_stands_there_now(unit_of: UnitOf) -> None:
    unit = unit_of("He saw the big old dog.")
    slots = [
        Slot(4, Pool("spell", "replacement", "nonword"), (("bld",),)),
        Slot(2, REPLACE, (("an", "a"),)),
        Slot(3, Pool("verb", "replacement", "form"), (("ibg",),)),
    ]
    found = take(unit, slots, "det", "verb", "spell", det_2_replacement__select=0.9)
    assert errored(unit, found) == "He saw an ibg bld dog."


def test_no_word_is_doubled(unit_of: UnitOf) -> None:
    unit = unit_of("He went to the house.")
    prep = Pool("prep", "insertion")
    assert take(unit, [Slot(1, prep, (("to",),))], "prep")
    assert take(unit, [Slot(2, prep, (("to",),))], "prep") == []
    assert take(unit, [Slot(3, prep, (("to",),))], "prep") == []


@pytest.mark.parametrize("insertion_first", [True, False])
def test_an_edit_is_not_undone_beside_itself(unit_of: UnitOf, insertion_first: bool) -> None:
    """*the → a* with *the* put in before or behind it would be one insertion."""
    unit = unit_of("He saw the dog.")
    for place in (2, 3):
        slots = [Slot(2, REPLACE, (("a",),)), Slot(place, INSERT, (("the",),))]
        late = (
            f"det_{place}_insertion__select" if not insertion_first else "det_2_replacement__select"
        )
        assert len(take(unit, slots, **{late: 0.9})) == 1


@pytest.mark.parametrize(("place", "both"), [(2, False), (3, False), (5, False), (6, True)])
def test_a_word_does_not_move(unit_of: UnitOf, place: int, both: bool) -> None:
    """*the* taken away here and put in two words on would read as an error of word order."""
    # Tokens:       0  1   2   3   4     5     6
    unit = unit_of("He saw the big house today again.")
    slots = [Slot(2, DELETE, DELETED), Slot(place, INSERT, (("the",),))]
    for late in ("det_2_deletion__select", f"det_{place}_insertion__select"):
        assert (len(take(unit, slots, **{late: 0.9})) == 2) == both
    # Another word may come.
    other = [Slot(2, DELETE, DELETED), Slot(place, INSERT, (("this",),))]
    assert len(take(unit, other)) == (1 if place in (2, 3) else 2)


@pytest.mark.parametrize(
    ("text", "slot", "expected"),
    [
        ("The dog ran.", Slot(0, DELETE, DELETED), "Dog ran."),
        ("“The dog ran.”", Slot(1, DELETE, DELETED), "“Dog ran.”"),
        ("He ran. The dog ran.", Slot(3, DELETE, DELETED), "He ran. Dog ran."),
        ("The iPhone rang.", Slot(0, DELETE, DELETED), "iPhone rang."),
        ("Old dogs ran.", Slot(0, INSERT, (("the",),)), "The old dogs ran."),
        ("Ann ran.", Slot(0, INSERT, (("the",),)), "The Ann ran."),
        ("I ran.", Slot(0, INSERT, (("of",),)), "Of I ran."),
        ("CEO talks failed.", Slot(0, INSERT, (("the",),)), "The CEO talks failed."),
        ("He ran. Old dogs ran.", Slot(3, INSERT, (("the",),)), "He ran. The old dogs ran."),
        ("He saw Ann.", Slot(2, INSERT, (("the",),)), "He saw the Ann."),
        ("The dog ran.", Slot(0, REPLACE, (("a",),)), "A dog ran."),
        ("dogs ran.", Slot(0, INSERT, (("the",),)), "the dogs ran."),
        ("THE DOG RAN.", Slot(0, REPLACE, (("these",),)), "THESE DOG RAN."),
    ],
)
def test_the_capital_of_a_sentence_stays_at_its_start(
    unit_of: UnitOf, text: str, slot: Slot, expected: str
) -> None:
    unit = unit_of(text)
    found = take(unit, [slot])
    assert errored(unit, found) == expected
    assert sum(not e.is_repair for c in found for e in c.edits[0]) == 1


def test_the_capital_moves_into_a_protected_word(unit_of: UnitOf) -> None:
    unit = unit_of("The nurse ran.", protect="nurse")
    (choice,) = take(unit, [Slot(0, DELETE, DELETED)])
    assert errored(unit, [choice]) == "Nurse ran."
    assert [e.type for e in choice.edits[0]] == ["det", "case"]


def test_the_capital_cannot_move_to_a_word_that_members_do_not_share(unit_of: UnitOf) -> None:
    unit = unit_of("The he ran.", "The she ran.")
    assert take(unit, [Slot(0, DELETE, DELETED)]) == []


def test_nor_to_what_has_no_capital(unit_of: UnitOf) -> None:
    unit = unit_of("The 5 dogs ran.")
    assert take(unit, [Slot(0, DELETE, DELETED)]) == []


def test_a_word_whose_capital_moved_is_frozen(unit_of: UnitOf) -> None:
    unit = unit_of("The dog ran.")
    slots = [
        Slot(0, DELETE, DELETED),
        Slot(1, Pool("spell", "replacement", "nonword"), (("dgo",),)),
    ]
    assert len(take(unit, slots, "det", "spell", spell_1_replacement_nonword_select=0.9)) == 1


def test_a_word_without_space_of_its_own_is_not_deleted(unit_of: UnitOf) -> None:
    unit = unit_of("He wrote (the) end.")
    assert take(unit, [Slot(token(unit, "the"), DELETE, DELETED)]) == []


def test_two_deletions_never_share_a_space(unit_of: UnitOf) -> None:
    unit = unit_of("He ran with these\n")
    slots = [Slot(2, Pool("prep", "deletion"), DELETED), Slot(3, DELETE, DELETED)]
    assert len(take(unit, slots, "det", "prep")) == 1


def test_protected_white_space_stays(tiny: Tiny) -> None:
    passage = Passage("He saw the dog.", (Span(10, 14),))
    (unit,) = make_units(tiny((passage,)).pairs, "input")
    assert take(unit, [Slot(2, DELETE, DELETED)]) == []


def test_members_receive_the_same_edits_at_their_own_places(unit_of: UnitOf) -> None:
    unit = unit_of("He saw the dog of him.", "She saw the dog of her.")
    (choice,) = take(unit, [Slot(2, REPLACE, (("this",),))])
    assert errored(unit, [choice], 0) == "He saw this dog of him."
    assert errored(unit, [choice], 1) == "She saw this dog of her."
    assert choice.edits[1][0].start == choice.edits[0][0].start + 1


def test_growth_is_the_change_of_the_token_count(unit_of: UnitOf) -> None:
    unit = unit_of("He saw the dog.")
    slots = [Slot(2, DELETE, DELETED), Slot(2, REPLACE, (("a",),)), Slot(1, INSERT, (("the",),))]
    growth = {c.slot.pool.operation: c.growth for s in slots for c in take(unit, [s])}
    assert growth == {"deletion": -1, "replacement": 0, "insertion": 1}


def texts(count: int) -> list[tuple[str]]:
    nouns = ("nurse", "clerk", "cook", "guard", "lawyer")
    return [
        (f"The {nouns[i % 5]} went to the house {i} of a friend and saw these cars.",)
        for i in range(count)
    ]


def all_choices(
    benchmark: Benchmark, types: tuple[ErrorType, ...], rules: str = "paper", seed: int = 0
) -> dict[str, list[Choice]]:
    units = make_units(benchmark.pairs, "input", GENDER_WORDS)
    slots = [list_slots(u, types, rules, GENDER_WORDS) for u in units]
    numbers = [Uniforms(seed, "tiny", u.pair_id, "input") for u in units]
    return {u.pair_id: c for u, c in zip(units, choose(units, slots, numbers, types), strict=True)}


def mix(choices: dict[str, list[Choice]], cutoff: float) -> Counter[Any]:
    return Counter(c.slot.pool.operation for of in choices.values() for c in of if c.key <= cutoff)


def test_the_mix_follows_the_shares_as_long_as_the_pools_last(tiny: Tiny) -> None:
    choices = all_choices(tiny(*texts(300)), ("det",))
    keys = sorted(c.key for of in choices.values() for c in of)
    found = mix(choices, keys[399])
    expected = {pool.operation: share for pool, share in shares(("det",)).items()}
    assert {op: n / 400 for op, n in found.items()} == pytest.approx(expected, abs=0.06)


def test_what_a_dry_pool_cannot_give_goes_to_the_others(tiny: Tiny) -> None:
    """Without a gap to fill, deletions and replacements keep their own ratio."""
    benchmark = tiny(*[(f"It was the {i}, the {i} and the {i} again.",) for i in range(100)])
    units = make_units(benchmark.pairs, "input")
    slots = [
        [Slot(t, pool, DELETED if pool is DELETE else (("a", "this"),)) for t in (2, 5, 8)
         for pool in (DELETE, REPLACE)]
        for _ in units
    ]  # fmt: skip
    numbers = [Uniforms(0, "tiny", u.pair_id) for u in units]
    choices = choose(units, slots, numbers, ("det",))
    keys = sorted(c.key for of in choices for c in of)
    found = Counter(c.slot.pool for of in choices for c in of if c.key <= keys[99])
    wanted = shares(("det",))
    expected = 100 * wanted[DELETE] / (wanted[DELETE] + wanted[REPLACE])
    assert found[DELETE] == pytest.approx(expected, abs=12)
    assert found[DELETE] + found[REPLACE] == 100


def test_a_smaller_cutoff_takes_a_subset(tiny: Tiny) -> None:
    choices = all_choices(tiny(*texts(20)), ERROR_TYPES)
    for of in choices.values():
        assert [c.key for c in of] == sorted(c.key for c in of)


def test_the_order_of_the_items_does_not_matter(tiny: Tiny) -> None:
    benchmark = tiny(*texts(12))
    turned = Benchmark("tiny", "", benchmark.pairs[::-1], GENDER_WORDS)
    assert all_choices(benchmark, ERROR_TYPES) == all_choices(turned, ERROR_TYPES)


def test_another_item_changes_no_edit_only_the_scale(tiny: Tiny) -> None:
    few = all_choices(tiny(*texts(6)), ("det",))
    more = all_choices(tiny(*texts(7)), ("det",))
    for pair, choices in few.items():
        same = {(c.slot.name, c.outcome) for c in choices}
        assert same == {(c.slot.name, c.outcome) for c in more[pair]}


def test_seeds_differ(tiny: Tiny) -> None:
    benchmark = tiny(*texts(6))
    zero, one = (all_choices(benchmark, ("det",), seed=s) for s in (0, 1))
    assert [c.slot.name for c in zero["tiny/0"]] != [c.slot.name for c in one["tiny/0"]]


def test_one_text_in_two_pairs_gets_two_sets_of_errors(tiny: Tiny) -> None:
    text = ("Read the sentence and answer the question about the people in it.",)
    choices = all_choices(tiny(text, text), ERROR_TYPES)
    first, second = (
        [(c.slot.name, c.outcome) for c in choices[p][:5]] for p in ("tiny/0", "tiny/1")
    )
    assert first != second
