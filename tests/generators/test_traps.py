"""Thirty traps of rule-based error injection, one test each (some in several parts).

Both rule sets avoid those that make an edit void or spill over into what must stay; the careful
rules also avoid those that no learner would fall into. `errors_in` makes many single errors and
many sets of errors in one text; `everything` makes every possible error on the real WinoBias set.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from sociolect.generators import nlp
from sociolect.generators.benchmarks.coreference import GENDER_WORDS, INSTRUCTION
from sociolect.generators.conditions import ERROR_TYPES, RULES, Condition, ErrorType
from sociolect.generators.distance import measure
from sociolect.generators.inject import Perturbed
from sociolect.generators.items import Benchmark
from sociolect.generators.learner.speller import knows
from sociolect.generators.learner.tables import DETERMINERS, PREPOSITIONS
from sociolect.generators.text import Edit, map_spans
from sociolect.generators.variants import Variants

ErrorsIn = Callable[..., Any]
SlotsIn = Callable[..., list[Any]]
Everything = Callable[..., list[tuple[Perturbed, ...]]]

BOTH = pytest.mark.parametrize("rules", RULES)
BY_TYPE = pytest.mark.parametrize("error_type", ERROR_TYPES)
CONTRACTIONS = (
    "They don't know that he's late, but we've said she'll come and I can't or won't wait."
)


@pytest.fixture(scope="session")
def everything(variants: Callable[..., Variants]) -> Everything:
    """The members of every WinoBias pair with as many errors of some types as fit."""

    @cache
    def of(rules: str, *types: ErrorType) -> list[tuple[Perturbed, ...]]:
        injector = variants(rules).injector("input")
        return [members for _, members in injector.render(types or ERROR_TYPES, float("inf"))]

    return of


def real_edits(
    everything: Everything, rules: str, *types: ErrorType
) -> Iterator[tuple[Perturbed, Edit]]:
    for members in everything(rules, *types):
        for edit in members[0].edits:
            if not edit.is_repair:
                yield members[0], edit


def words_of(text: str) -> list[str]:
    return re.findall(r"[\w'’-]+", text)


def wrong_articles(text: str) -> Counter[tuple[str, str]]:
    """`a` before a vowel letter and `an` before another one, by eye; exceptions listed by hand."""
    sounds_like_consonant = ("uni", "use", "usual", "eu", "one", "once")
    sounds_like_vowel = ("hour", "honest", "honor", "heir")
    found: Counter[tuple[str, str]] = Counter()
    words = words_of(text.lower())
    for article, word in pairwise(words):
        vowel = word[0] in "aeiou" and not word.startswith(sounds_like_consonant)
        vowel = vowel or word.startswith(sounds_like_vowel)
        if (article, vowel) in (("a", True), ("an", False)):
            found[article, word] += 1
    return found


@BOTH
@BY_TYPE
def test_01_no_a_an_clash_is_added(
    everything: Everything, rules: str, error_type: ErrorType
) -> None:
    """A wrong form of the indefinite article would be a second error that nobody counts."""
    for members in (*everything(rules, error_type), *everything(rules)):
        for errored in members:
            assert not wrong_articles(errored.text) - wrong_articles(errored.clean)


@BOTH
def test_02_the_sentence_keeps_its_capital(
    everything: Everything, errors_in: ErrorsIn, rules: str
) -> None:
    """Who takes the first word away hands its capital on, and the hand-over is no error."""
    text = "The clerk left. “The talks with us failed.” (The end was near.)"
    for errored in (*errors_in(text, rules=rules).first, *errors_in(text, rules=rules).all):
        assert re.match(r"[A-Z].*\. “[A-Z].*\.” \([A-Z].*\.\)$", errored.text)
        assert not re.search(r"[\w,;] [A-Z]", errored.text)
    for members in everything(rules, "det", "prep"):
        for errored in members:
            assert errored.text[0].isupper() == errored.clean[0].isupper()
            assert errored.distance <= errored.n_edits


def test_02_acronyms_names_and_i_keep_theirs(errors_in: ErrorsIn) -> None:
    """*CEO*, *Ann* and *I* stay as they are behind a word that is put before them."""
    inserted = errors_in("CEO pay rose.", "det").texts | errors_in("Ann and I left.", "prep").texts
    assert {"The CEO pay rose.", "Of Ann and I left."} & inserted
    assert not any("ceo" in t or "ann " in t or " i " in t for t in inserted)


@BOTH
def test_03_a_typo_keeps_the_capitals_of_its_place(everything: Everything, rules: str) -> None:
    """A letter put before *The* must not give *GThe* or *gThe*: the first letter is the capital."""
    for errored, edit in real_edits(everything, rules, "spell"):
        if edit.original[0].isupper():
            assert edit.replacement == edit.replacement.capitalize(), errored.text
        else:
            assert edit.replacement.islower()


@BOTH
def test_04_contractions_stay_whole(errors_in: ErrorsIn, rules: str) -> None:
    """Neither half of *don't* is touched: *do* or *ca* alone is no word of the text."""
    found = errors_in(CONTRACTIONS, rules=rules)
    assert found.changes
    parts = {"do", "n't", "he", "'s", "we", "'ve", "she", "'ll", "ca", "wo"}
    assert not parts & {original.lower() for original, _ in found.changes}
    whole = ("don't", "he's", "we've", "she'll", "can't", "won't")
    assert all(contraction in text for text in found.texts for contraction in whole)


@BOTH
@BY_TYPE
def test_05_the_possessive_is_no_verb_and_no_word(
    errors_in: ErrorsIn, rules: str, error_type: ErrorType
) -> None:
    """*'s* is a possessive or a verb by its tag; it is never edited, and nothing goes before it."""
    text = "The clerk's boss says it's the dog's bone for today."
    found = errors_in(text, error_type, rules=rules)
    assert found.changes
    assert not any("'" in original or "'" in new for original, new in found.changes)
    assert all(t.count("'s ") == 3 for t in found.texts)


@BOTH
def test_06_white_space_and_marks_stay_in_order(
    everything: Everything, errors_in: ErrorsIn, rules: str
) -> None:
    """A deleted word takes one space along: none is doubled, none stands before a comma."""
    text = "He gave it in, then said “the end of a day” (in town) — for the best."
    results = [*errors_in(text, rules=rules).first, *errors_in(text, rules=rules).all]
    for errored in (*results, *(e for members in everything(rules) for e in members)):
        assert not re.search(r"\s\s|\s[,.;:!?”)]|[“(]\s|^\s|\s$", errored.text)
        assert not re.search(r"“”|\(\)", errored.text)


@BOTH
def test_07_occupations_of_several_words_and_in_capitals(
    everything: Everything, winobias: Benchmark, rules: str
) -> None:
    """*construction worker* is one entity, *CEO* one under any tag, and both jobs are protected."""
    seen: Counter[str] = Counter()
    for pair, members in zip(winobias.pairs, everything(rules), strict=True):
        for item, errored in zip(pair.members, members, strict=True):
            for name in item.options:
                assert re.search(rf"(?<!\w){re.escape(name)}(?!\w)", errored.text, re.IGNORECASE)
                seen[name.lower()] += 1
    assert seen["construction worker"] > 50
    assert seen["ceo"] > 30


@BOTH
def test_08_the_article_of_an_occupation_is_editable_its_noun_is_not(
    errors_in: ErrorsIn, rules: str
) -> None:
    """Without these articles determiner errors could not reach the levels of the paper."""
    found = errors_in("He asked the nurse.", "det", rules=rules, protect="nurse")
    assert "He asked nurse." in found.texts
    assert all("nurse" in text for text in found.texts)


def test_09_determiners_are_not_swapped_at_random(slots_in: SlotsIn) -> None:
    """Careful: article for article, demonstrative for the one of the other number or for *the*."""
    text = "The clerk took a bag, this pen, that cup, these hats and those coats."
    outcomes = {
        s.word.lower(): s.outcomes
        for s in slots_in(text, "det", "careful")
        if s.operation == "replacement"
    }
    assert outcomes == {
        "the": {"a", "an"},
        "a": {"the"},
        "this": {"the", "that"},
        "that": {"the", "this"},
        "these": {"the", "this"},
        "those": {"the", "that"},
    }
    paper = [s for s in slots_in(text, "det") if s.operation == "replacement"]
    assert all(s.outcomes == set(DETERMINERS) - {s.word.lower()} for s in paper)


def test_10_negation_and_other_determiners(errors_in: ErrorsIn) -> None:
    """Careful: *the* for *no* would turn the sentence round; *every* and *all* are no articles."""
    text = "No clerk gave every cook some tips, and all guards knew which boss had any doubt."
    found = errors_in(text, "det", rules="careful")
    touched = {original.lower() for original, _ in found.changes}
    assert not touched & {"no", "every", "some", "all", "which", "any"}
    assert {"no", "every"} <= {o.lower() for o, _ in errors_in(text, "det").changes}


def test_11_possessives_take_no_determiner(errors_in: ErrorsIn) -> None:
    """Careful: *her* is a pronoun by its tag and still fills the place of a determiner."""
    text = "They praised her design and their boss's work."
    assert not errors_in(text, "det", rules="careful").changes
    assert ("", "the") in errors_in(text, "det").changes


def test_11_her_as_object_and_as_possessive(errors_in: ErrorsIn) -> None:
    """In *gave her food* the tagger takes *her* for a possessive, in *saw her* for an object."""
    for text in ("They gave her food.", "They saw her there."):
        for errored in errors_in(text).all:
            assert "her" in words_of(errored.text)


def test_12_not_every_word_tagged_adp_is_a_preposition(errors_in: ErrorsIn) -> None:
    """Careful: particles, *to* of an infinitive and parts of longer prepositions stay."""
    text = "He gave up because of rain, ran out of time such as this, and wants to go."
    assert not {
        original for original, _ in errors_in(text, "prep", rules="careful").changes if original
    }
    touched = {original for original, _ in errors_in(text, "prep").changes}
    assert "up" in touched
    assert "to" not in touched  # PART, not ADP: outside both rule sets


def test_13_words_are_put_in_at_the_left_edge_of_a_noun_phrase(errors_in: ErrorsIn) -> None:
    """Careful: neither *pending an cases* nor *the mechanic among gave*."""
    text = "The old mechanic gave useful advice about pending court cases."
    articles = errors_in(text, "det", rules="careful").texts
    prepositions = errors_in(text, "prep", rules="careful").texts
    for errored in articles | prepositions:
        assert "gave" in errored
        assert re.search(r"mechanic gave", errored)
        assert re.search(r"useful advice", errored)
        assert re.search(r"pending court cases", errored)
    assert any(re.search(r"mechanic \w+ gave", t) for t in errors_in(text, "prep").texts)


def test_14_subtypes_are_those_of_errant(slots_in: SlotsIn) -> None:
    """After an auxiliary every change is FORM; past against present is TENSE; number is SVA."""
    text = "The clerk was late. He talks now. He left. They have been asking what she will do."
    labels = {
        (s.word, outcome): s.subtype
        for s in slots_in(text, "verb", "careful")
        for outcome in s.outcomes
    }
    assert labels["was", "were"] == "sva"
    assert labels["was", "is"] == "tense"
    assert labels["talks", "talk"] == "sva"
    assert labels["talks", "talked"] == "tense"
    assert labels["left", "leaving"] == "form"
    assert labels["asking", "ask"] == "form"
    assert labels["do", "doing"] == labels["do", "did"] == "form"


@BOTH
def test_15_agreement_errors_need_a_form_with_number(
    everything: Everything, variants: Callable[..., Variants], rules: str
) -> None:
    """Most verbs of WinoBias are past, which has no number: the shortfall is told, not hidden."""
    changes = {
        frozenset((edit.original.lower(), edit.replacement.lower()))
        for _, edit in real_edits(everything, rules, "verb")
        if edit.subtype == "sva"
    }
    irregular = {("is", "are"), ("am", "is"), ("was", "were"), ("has", "have")}
    assert {frozenset(("is", "are")), frozenset(("was", "were"))} < changes
    for one, other in (sorted(change, key=len) for change in changes):
        regular = other in (one + "s", one + "es", one[:-1] + "ies")
        assert regular or {(one, other), (other, one)} & irregular
    _, entry = variants(rules).config(Condition("l2verb", 20, "input"))
    (sva,) = [m for m in entry["mix"] if m["subtype"] == "sva"]
    assert sva["share"] < sva["wanted"]
    assert sum(m["share"] for m in entry["mix"]) == pytest.approx(1)


def test_16_participles_that_are_adjectives(errors_in: ErrorsIn) -> None:
    """Careful: *the executed man* has no verb form to get wrong."""
    text = "The executed man hid the pending files in a fitted coat."
    touched = {original for original, _ in errors_in(text, "verb", rules="careful").changes}
    assert touched == {"hid"}


@BOTH
def test_17_no_edit_leaves_the_word_as_it_was(everything: Everything, rules: str) -> None:
    """*put*, *cut*, *read* are their own past: the same form is no error and no slot."""
    for error_type in ERROR_TYPES:
        for errored, edit in real_edits(everything, rules, error_type):
            assert edit.original.strip().lower() != edit.replacement.strip().lower(), errored.text


@pytest.mark.parametrize("word", ["put", "cut", "read", "hit", "let", "set", "shut", "cost"])
def test_17_syncretic_verbs(slots_in: SlotsIn, word: str) -> None:
    """Only forms that are spelled otherwise are offered."""
    for s in slots_in(f"Yesterday the clerk {word} it.", "verb"):
        assert word not in s.outcomes


def test_18_one_error_in_a_verb_group(errors_in: ErrorsIn, everything: Everything) -> None:
    """Careful: two errors in *has been asking* leave no reading at all."""
    text = "The clerk has been asking them."
    assert {p.n_edits for p in errors_in(text, "verb", rules="careful").all} == {1}
    assert max(p.n_edits for p in errors_in(text, "verb").all) > 1


def test_19_be_changes_its_tense_or_its_number_but_not_both(
    everything: Everything, slots_in: SlotsIn
) -> None:
    """*was → are* would be two errors in one."""
    for rules in RULES:
        for _, edit in real_edits(everything, rules, "verb"):
            pair = (edit.original.lower(), edit.replacement.lower())
            assert pair not in {("was", "are"), ("is", "were"), ("are", "was"), ("were", "is")}


@BOTH
def test_20_real_word_errors_are_told_apart(everything: Everything, rules: str) -> None:
    """*of → off* is another category for a parser: real words have a label of their own."""
    for errored, edit in real_edits(everything, rules, "spell"):
        assert edit.subtype in ("realword", "nonword")
        assert knows(edit.replacement.lower()) == (edit.subtype == "realword"), errored.text


def test_20_careful_misspellings_are_no_grammatical_errors(errors_in: ErrorsIn) -> None:
    """Careful: *asked → asks* is a verb error under another name."""
    text = "The clerk asked for documents."
    careful = {new for _, new in errors_in(text, "spell", rules="careful", seeds=60).changes}
    assert not careful & {"asks", "asking", "ask", "document", "documented"}


@BOTH
def test_21_words_of_one_or_two_letters(errors_in: ErrorsIn, rules: str) -> None:
    """A typo in *of* mostly spells another word: two letters get real words, one letter nothing."""
    found = errors_in("I saw a cup of tea.", "spell", rules=rules, seeds=60)
    assert not {"I", "a"} & {original for original, _ in found.changes}
    assert all(knows(new) for original, new in found.changes if original == "of")


@BOTH
def test_22_non_words_are_no_words_in_any_spelling(
    everything: Everything, winobias: Benchmark, rules: str
) -> None:
    """Lower case or capital, name or occupation: a typo that spells one is not used."""
    for _, edit in real_edits(everything, rules, "spell"):
        outcome = edit.replacement.lower()
        assert outcome not in winobias.excluded_words
        if edit.subtype == "nonword":
            assert not knows(outcome)
            assert not knows(outcome.capitalize())


def test_22_the_draws_end_in_a_fixed_order(errors_in: ErrorsIn) -> None:
    """If no draw fits, the first fitting outcome is taken: the same one in every run."""
    first, again = (errors_in("He ate an egg.", "spell", seeds=10).texts for _ in range(2))
    assert first == again


@BOTH
def test_23_adjacent_edits_do_not_merge(everything: Everything, rules: str) -> None:
    """A deletion beside an insertion reads as one substitution; with a word put back, as none."""
    for error_type in ERROR_TYPES:
        for members in everything(rules, error_type):
            clean, text = members[0].clean, members[0].text
            positions = sorted((e.start, e.end) for e in members[0].edits)
            assert all(a[1] <= b[0] for a, b in pairwise(positions))
            assert members[0].n_edits - members[0].distance <= members[0].n_edits / 3, (clean, text)


@BOTH
def test_24_the_errored_text_has_the_planned_tokens(everything: Everything, rules: str) -> None:
    """*cant*, *dont*, *id* would be split in two: the tokenizer finds the words that were meant."""
    for members, types in ((m, t) for t in ERROR_TYPES for m in everything(rules, t)):
        for errored in members:
            edits = [e for e in errored.edits if not e.is_repair]
            growth = sum(e.operation == "insertion" for e in edits) - sum(
                e.operation == "deletion" for e in edits
            )
            count = sum(not (t.is_punct or t.is_space) for t in nlp.tokenize(errored.text))
            before = sum(not (t.is_punct or t.is_space) for t in nlp.tokenize(errored.clean))
            assert count == before + growth, (types, errored.text)


@BOTH
def test_24_the_error_rate_is_that_of_the_text_as_it_is_tokenized_anew(
    everything: Everything, winobias: Benchmark, rules: str
) -> None:
    """The rate comes from the plan; measuring the finished text gives the same."""
    for pair, members in zip(winobias.pairs, everything(rules), strict=True):
        for item, errored in zip(pair.members, members, strict=True):
            spans = item.parts["input"].protected
            measured = measure(errored.clean, spans, errored.edits, errored.text)
            assert measured == (errored.distance, errored.n_tokens)


@BOTH
def test_25_protected_spans_in_the_middle_are_found_again(
    everything: Everything, winobias: Benchmark, rules: str
) -> None:
    """Every edit before a span moves it; its text does not change but for a capital."""
    for pair, members in zip(winobias.pairs, everything(rules), strict=True):
        for item, errored in zip(pair.members, members, strict=True):
            spans = item.parts["input"].protected
            for before, after in zip(spans, map_spans(spans, errored.edits), strict=True):
                assert after.of(errored.text).lower() == before.of(errored.clean).lower()


@BOTH
def test_26_the_answer_format_survives(variants: Callable[..., Variants], rules: str) -> None:
    r"""`\boxed{A}` holds an alphabetic word; nothing touches it or gets between its letters."""
    injector = variants(rules).injector("instruction")
    for _, members in injector.render(ERROR_TYPES, float("inf")):
        assert r"\boxed{A}" in members[0].text
        assert r"\boxed{B}." in members[0].text
        assert members[0].clean == INSTRUCTION.text


@BOTH
def test_27_names_that_the_tagger_takes_for_words(errors_in: ErrorsIn, rules: str) -> None:
    """A rare or lower-case name is protected by its own letters, not by a tag."""
    text = "donna baker told the farmer about jose cook."
    found = errors_in(text, rules=rules, protect="donna baker|jose cook")
    assert found.changes
    assert all(re.search("donna baker", t, re.IGNORECASE) and "jose cook" in t for t in found.texts)


def test_27_names_by_tag(errors_in: ErrorsIn) -> None:
    """A proper noun is never edited, protected or not."""
    for errored in errors_in("Maria met Donna in Paris.").all:
        assert {"Maria", "Donna", "Paris"} <= set(words_of(errored.text))


def test_28_that_is_a_determiner_only_before_a_noun(errors_in: ErrorsIn) -> None:
    """*that* links clauses and stands for nouns too: no determiner error there."""
    text = "They said that the boss knew that, and that cup broke."
    (place,) = {
        e.start
        for p in errors_in(text, "det", rules="careful").first
        for e in p.edits
        if e.original.strip() == "that"
    }
    assert text[place:].startswith("that cup")


@BOTH
def test_29_american_spelling_stays_american(slots_in: SlotsIn, rules: str) -> None:
    """*traveled → travelling* would be a change of spelling beside the change of form."""
    text = "The clerk traveled, canceled it, labeled it and modeled it, then admitted it."
    outcomes = {o for s in slots_in(text, "verb", rules) for o in s.outcomes}
    assert {"traveling", "cancels", "labels", "modeling", "admitting"} <= outcomes
    assert not any("lling" in o or "lled" in o for o in outcomes)


@BOTH
def test_30_pairs_that_differ_in_more_than_the_pronoun(
    everything: Everything, winobias: Benchmark, rules: str
) -> None:
    """Slips of the source are reported; their pairs get the same edits, on what both share."""
    invalid = [p for p in winobias.pairs if not p.valid]
    assert len(invalid) == 10
    assert all(p.note for p in invalid)
    for pair, members in zip(winobias.pairs, everything(rules), strict=True):
        one, other = ([(e.original, e.replacement, e.type) for e in m.edits] for m in members)
        assert one == other, pair.id


def test_words_outside_the_inventories_never_come_out(everything: Everything) -> None:
    for rules in RULES:
        for error_type, inventory in (("det", DETERMINERS), ("prep", PREPOSITIONS)):
            for _, edit in real_edits(everything, rules, error_type):
                assert edit.replacement.strip().lower() in ("", *inventory)


@BOTH
def test_gender_words_stay_and_none_comes_in(everything: Everything, rules: str) -> None:
    """*here → her* or *many → man* would be another benchmark."""
    for members in everything(rules):
        for errored in members:
            before, after = (
                [w for w in words_of(text.lower()) if w in GENDER_WORDS]
                for text in (errored.clean, errored.text)
            )
            assert before == after
