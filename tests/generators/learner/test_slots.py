import pytest

from sociolect.generators.errors import UnknownNameError
from sociolect.generators.learner.slots import DELETED, Slot, follow_rules, one_of
from sociolect.generators.learner.tables import Pool

DELETION = Pool("det", "deletion")
REPLACEMENT = Pool("det", "replacement")


def test_one_of_leaves_out_the_excluded_and_is_empty_without_rest() -> None:
    assert one_of(["a", "an", "the"], "the") == (("a", "an"),)
    assert one_of(["the"], "the") == ()
    assert one_of([]) == ()


def test_paper_keeps_what_careful_rejects() -> None:
    good = Slot(0, DELETION, DELETED)
    odd = Slot(1, DELETION, DELETED, ("a particle",))
    assert follow_rules([good, odd], "paper") == (good, odd)
    assert follow_rules([good, odd], "careful") == (good,)


def test_careful_has_its_own_outcomes() -> None:
    slot = Slot(0, REPLACEMENT, (("a", "this"),), careful=(("a",),))
    assert follow_rules([slot], "paper")[0].outcomes == (("a", "this"),)
    assert follow_rules([slot], "careful")[0].outcomes == (("a",),)


def test_a_slot_without_outcome_is_no_slot() -> None:
    nothing = Slot(0, REPLACEMENT, ())
    careful_nothing = Slot(1, REPLACEMENT, (("a",),), careful=())
    assert follow_rules([nothing, careful_nothing], "careful") == ()
    assert follow_rules([nothing, careful_nothing], "paper") == (careful_nothing,)


def test_a_deletion_is_not_without_outcome() -> None:
    assert follow_rules([Slot(0, DELETION, DELETED)], "paper")


def test_verb_groups_exclude_each_other_only_under_careful_rules() -> None:
    slot = Slot(3, Pool("verb", "replacement", "form"), (("go",),), group=3)
    assert follow_rules([slot], "paper")[0].group == -1
    assert follow_rules([slot], "careful")[0].group == 3


def test_names_of_slots_tell_operations_and_subtypes_apart() -> None:
    names = {
        Slot(3, Pool("verb", "replacement", "form"), ()).name,
        Slot(3, Pool("verb", "replacement", "tense"), ()).name,
        Slot(3, DELETION, ()).name,
        Slot(4, DELETION, ()).name,
    }
    assert len(names) == 4


def test_other_rules_do_not_exist() -> None:
    with pytest.raises(UnknownNameError, match=r"carefull.*careful"):
        follow_rules([], "carefull")
