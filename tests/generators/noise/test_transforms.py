"""What each kind of noise does, and the traps it must not fall into."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.generators.items import Benchmark, Item, Pair, Passage
from sociolect.generators.learner.unwanted import UNWANTED
from sociolect.generators.noise import colloquial_words, informal_words
from sociolect.generators.noise.common_words import COMMON_WORDS
from sociolect.generators.noise.inject import Noised, NoiseInjector, noise
from sociolect.generators.noise.options import NoiseOptions
from sociolect.generators.noise.slots import threshold
from sociolect.generators.noise.tokens import MARK, OTHER, WORD, tokenize
from sociolect.generators.noise.typo import misspell
from sociolect.generators.text import Span

NONE: frozenset[str] = frozenset()


def at_one(text: str, transform: str, seed: int = 0) -> str:
    return noise(text, transform=transform, p=1, seed=seed).text


def kinds(text: str) -> list[tuple[str, str]]:
    return [(t.text, t.kind) for t in tokenize(text)]


def test_words_marks_and_the_rest() -> None:
    assert kinds("O'Brien's well-known plan, (B) cost $5,000.") == [
        ("O'Brien's", WORD),
        ("well-known", WORD),
        ("plan", WORD),
        (",", MARK),
        ("(B)", OTHER),
        ("cost", WORD),
        ("$5,000", OTHER),
        (".", MARK),
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("B", "Option A", "(B):", "NONE", "\\boxed{A}", "3.14", "x", "e.g.", "U.S.", "9 a.m."),
        *("f(x)", "http://a.org/b", "me@b.org", "a_b", "_", "he/she", "E=mc2", "- ", "1."),
    ],
)
@pytest.mark.parametrize("transform", ["typo", "informal", "punct", "colloquial", "combined"])
def test_left_alone(text: str, transform: str) -> None:
    assert at_one(text, transform) == text


def test_the_full_stop_of_an_abbreviation_ends_no_sentence() -> None:
    opens = [t.text for t in tokenize("We met Dr. Ito. She left. And so on.") if t.opens]
    assert opens == ["We", "She", "And"]
    assert "Dr." in noise("We met Dr. Ito.", transform="informal", p=1).text


@pytest.mark.parametrize(
    ("number", "attempts", "p"), [(0.3, 1, 0.3), (0.657, 3, 0.3), (0.51, 2, 0.3)]
)
def test_threshold(number: float, attempts: int, p: float) -> None:
    """1 − 0.7³ = 0.657 and 1 − 0.7² = 0.51: edited from p = 0.3 on."""
    assert threshold(number, attempts) == pytest.approx(p)


def test_every_slot_is_edited_at_one() -> None:
    assert threshold(1.0, 1) < 1
    assert threshold(1.0, 3) < 1


@pytest.mark.parametrize("number", [i / 50 for i in range(50)])
@pytest.mark.parametrize("word", ["the", "form", "their", "woman", "can", "while", "ship", "her's"])
def test_a_typo_makes_no_word(word: str, number: float) -> None:
    found = misspell(word, number, frozenset({"women"}), frozenset({"thier"}))
    if found is None:
        return
    _, (start, end, new) = found
    outcome = word[:start] + new + word[end:]
    assert outcome != word
    assert outcome not in COMMON_WORDS | UNWANTED | {"women", "thier"}


def test_three_letters_have_no_transposition() -> None:
    made = {misspell("the", i / 100, NONE, NONE) for i in range(100)}
    assert {found[0] for found in made if found} == {"omission", "doubling", "neighbour"}


@pytest.mark.parametrize("seed", range(20))
def test_negations_are_kept(seed: int) -> None:
    text = "I can't say. You must not, cannot and don't."
    assert at_one(text, "typo", seed).count("can't") == 1
    assert all(w in at_one(text, "typo", seed) for w in (" not,", "cannot", "don't"))
    informal = at_one(text, "informal", seed)
    assert "cant " in informal
    assert "dont" in informal
    assert "no" in informal.split("must ")[1]


@pytest.mark.parametrize("text", ["We're in.", "He'll go.", "Who're they?", "She'd come."])
def test_an_apostrophe_stays_where_the_rest_is_another_word(text: str) -> None:
    assert "'" in at_one(text, "punct")


def test_punct_drops_everything_at_one() -> None:
    text = (
        "“Emma's plan—the best—failed,” he said... Really?! I don't (quite) know: it’s over; bye!"
    )
    assert at_one(text, "punct") == (
        "emmas plan the best failed he said really i dont quite know its over bye"
    )


def test_a_mark_between_words_leaves_a_space() -> None:
    assert at_one("his hair,so long", "punct") == "his hair so long"
    assert at_one("one - two", "punct") == "one two"


def test_marks_are_repeated_before_they_are_dropped() -> None:
    text = "Well, yes, no, so, then, but, and, or, if, as, at, on, in, by, of, to, up, it."
    kinds_at = {
        p: {e.subtype for e in noise(text, transform="punct", p=p).edits} for p in (0.2, 1.0)
    }
    assert "repeated" in kinds_at[0.2]
    assert kinds_at[1.0] == {"dropped", "case"}


def test_colloquial_contracts_only_before_a_word() -> None:
    assert "it's" in at_one("He said it is good", "colloquial")
    assert "it is." in at_one("He said what it is.", "colloquial").replace(", ", ".")


def test_no_digit_for_a_word_and_nothing_unwanted() -> None:
    for words in (informal_words, colloquial_words):
        for table in (words.RESPELLINGS, words.PHRASES):
            for clean, outcomes in table.items():
                for outcome in outcomes:
                    assert not any(c.isdigit() for c in outcome)
                    assert outcome.lower() not in UNWANTED
                    assert outcome != clean
        markers = {w for of in words.MARKERS.values() for m in of for w in m.split()}
        assert not markers & UNWANTED


def test_the_parts_of_combined_are_its_conditions() -> None:
    text = "Emma is working late, because they were going to want that. I can't say why."
    made = {
        t: set(noise(text, transform=t, p=0.5, seed=2).edits)
        for t in ("typo", "informal", "punct", "combined")
    }
    assert made["typo"] <= made["combined"]
    assert made["combined"] <= made["typo"] | made["informal"] | made["punct"]


def test_a_typo_and_a_lost_capital_compose() -> None:
    edits = noise("Walter", transform="combined", p=1).edits
    assert [e.type for e in edits if e.operation != "insertion"][:1] in (["informal"], ["punct"])
    assert "typo" in {e.type for e in edits}


def _injector(*texts: str, draws: str = "independent") -> NoiseInjector:
    members = tuple(
        Item(f"i/{n}", "i", "b", "", str(n), {"input": Passage(t)}, "", (), -1, -1)
        for n, t in enumerate(texts)
    )
    benchmark = Benchmark("b", "", (Pair("i", members),), NONE)
    return NoiseInjector(benchmark, 0, NoiseOptions(draws))


def _words_with_noise(made: Noised) -> dict[str, str]:
    return {e.original: e.replacement for e in made.edits}


def test_what_members_do_not_share_is_left_alone() -> None:
    one, other = "The teacher said that he was working.", "The teacher said that she was working."
    for transform in ("typo", "informal", "punct", "colloquial", "combined"):
        ((first, second),) = _injector(one, other).render(transform, 1.0)
        assert [(e.original, e.replacement) for e in first.edits] == [
            (e.original, e.replacement) for e in second.edits
        ]
        assert first.edits
        assert " he " in first.text
        assert " she " in second.text


def test_a_longer_name_moves_no_noise() -> None:
    frame = "Everything suggests that {} should have been promoted, because the others were late."
    made = []
    for name in ("Emma", "Person One"):
        ((noised,),) = _injector(frame.format(name)).render("typo", 0.5)
        at, end = frame.index("{"), frame.index("{") + len(name)
        shift = len(name) - len("Emma")
        made.append(
            {
                (e.start - shift * (e.start > end), e.replacement)
                for e in noised.edits
                if not at <= e.start < end
            }
        )
    assert made[0] == made[1] != set()


def test_clean() -> None:
    ((made,),) = _injector("As it was.").clean()
    assert (made.text, made.edits, made.change.token_change) == ("As it was.", (), 0.0)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: noise("A text.", transform="l2", p=0.3), UnknownNameError),
        (lambda: noise("A text.", transform="typo", p=0.3, draws="same"), UnknownNameError),
        (lambda: noise("A text.", transform="typo", p=0), InvalidInputError),
        (lambda: noise("A text.", transform="typo", p=30), InvalidInputError),
        (lambda: noise("A text.", transform="typo", p=math.nan), InvalidInputError),
        (lambda: noise("A text.", transform="typo", p=0.3, seed=-1), InvalidInputError),
        (lambda: noise("A \ud800.", transform="typo", p=0.3), InvalidInputError),
        (
            lambda: noise("A.", transform="typo", p=0.3, protected=(Span(0, 9),)),
            InvalidInputError,
        ),
    ],
)
def test_bad_input(call: Callable[[], Noised], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("transform", ["informal", "colloquial"])
def test_a_name_inside_a_sentence_is_not_respelt(transform: str, seed: int) -> None:
    """*Emily* is no adverb, *Sterling* no participle, *Will* no verb."""
    text = "So we asked Emily and Sterling, then Will, about the family."
    found = noise(text, transform=transform, p=1, seed=seed).text
    assert all(name in found for name in ("Emily", "Sterling", "Will", "family"))
