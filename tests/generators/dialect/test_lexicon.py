from sociolect.generators.dialect.lexicon import CLASSES, LEXICON, entries
from sociolect.generators.dialect.lexicon_slurs import SLUR_ENTRIES


def test_patterns_are_all_combinations_of_their_words() -> None:
    found = entries("aspectual", "i|he be|been", "finna")
    assert [one.tokens for one in found] == [
        ("i", "be"),
        ("i", "been"),
        ("he", "be"),
        ("he", "been"),
        ("finna",),
    ]
    assert [one.name for one in found] == ["i be", "i been", "he be", "he been", "finna"]
    assert {one.feature_class for one in found} == {"aspectual"}


def test_the_classes_have_what_table_6_has() -> None:
    assert tuple(LEXICON) == CLASSES
    sizes = {name: len(listed) for name, listed in LEXICON.items()}
    assert sizes == {"auxiliary": 13, "aspectual": 12, "preverbal": 9, "syntactic": 7}
    names = {name: {one.name for one in listed} for name, listed in LEXICON.items()}
    assert {"finna", "we was", "gonna", "ion", "iont", "i'mma"} <= names["auxiliary"]
    assert {"u be", "it be", "y'all be", "they been"} <= names["aspectual"]
    assert {"she done", "ain't", "steady", "stay"} <= names["preverbal"]
    assert {"can't nobody", "don't never", "y'all don't"} <= names["syntactic"]


def test_what_table_6_leaves_out_is_left_out() -> None:
    names = {one.name for listed in LEXICON.values() for one in listed}
    assert not names & {"we be", "it been", "you been", "i done", "i was", "it don't", "been"}


def test_entries_are_of_their_class_in_lower_case_and_named_once() -> None:
    for name, listed in LEXICON.items():
        assert {one.feature_class for one in listed} == {name}
        assert len({one.name for one in listed}) == len(listed)
        assert len({tuple(t.replace("'", "") for t in one.tokens) for one in listed}) == len(listed)
        assert all(token == token.lower() for one in listed for token in one.tokens)


def test_slurs_are_apart_and_their_names_do_not_spell_them() -> None:
    words = {one.tokens[0] for one in SLUR_ENTRIES}
    assert [one.feature_class for one in SLUR_ENTRIES].count("auxiliary") == 2
    assert len(SLUR_ENTRIES) == 4
    listed = {token for listed in LEXICON.values() for one in listed for token in one.tokens}
    assert not words & listed
    assert not any(word in one.name for one in SLUR_ENTRIES for word in words)
