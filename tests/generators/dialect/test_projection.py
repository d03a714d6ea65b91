"""Pairs with links given by hand.

Words of the two texts that bear a common number are linked; `|` is the boundary. That of the AAE
text is the one expected.
"""

import re

import pytest

from sociolect.generators.dialect.places import Place, Rules, places
from sociolect.generators.dialect.projection import (
    CROSSING,
    NONE_AFTER,
    NONE_BEFORE,
    UNALIGNED,
    project,
)
from sociolect.generators.dialect.words import words

PAIRS = {
    "the example of the paper": (
        "I/1 was/2 going/3 to/3 call/4 you/5 later,/6 | but/7 I/8 had/9 to/9 finish/10 it/11",
        "I/1 was/2 finna/3 call/4 you/5 later,/6 | but/7 I/8 hadda/9 finish/10 it/11",
    ),
    "same words": ("she/1 sings/2 | every/3 day/4", "she/1 sing/2 | every/3 day/4"),
    # Contractions
    "contraction before": (
        "You/1 all/1 came/2 | early/3 today/4",
        "Y'all/1 came/2 | early/3 today/4",
    ),
    "contraction after": (
        "we/1 know/2 | you/3 all/3 are/4 late/5",
        "we/1 know/2 | y'all/3 late/5",
    ),
    "contraction across goes with its first word": (
        "today/0 you/1 | all/1 came/2 early/3",
        "today/0 y'all/1 | came/2 early/3",
    ),
    "three words in one": (
        "I/1 am/1 going/1 to/1 tell/2 | him/3 soon/4",
        "I'mma/1 tell/2 | him/3 soon/4",
    ),
    "one word in two": (
        "I/1 cannot/2 | stay/3 here/4",
        "I/1 can/2 not/2 | stay/3 here/4",
    ),
    "a word that becomes the end of another": (
        "he/1 let/2 them/3 | leave/4 work/5",
        "he/1 let/2 'em/3 | leave/4 work/5",
    ),
    # Deletions
    "zero copula before": (
        "she/1 is/2 at/3 work/4 | right/5 now/6",
        "she/1 at/3 work/4 | right/5 now/6",
    ),
    "zero copula after": ("I/1 know/2 that | she/3 is tired/4", "I/1 know/2 | she/3 tired/4"),
    "zero copula at the boundary, right": (
        "my/1 brother/2 | is so/3 tall/4",
        "my/1 brother/2 | so/3 tall/4",
    ),
    "zero copula at the boundary, left": (
        "my/1 brother/2 is | so/3 tall/4",
        "my/1 brother/2 | so/3 tall/4",
    ),
    "zero possessive": (
        "I/1 took/2 my/3 uncle's/4 truck/5 | to/6 town/7",
        "I/1 took/2 my/3 uncle/4 truck/5 | to/6 town/7",
    ),
    "no conjunction": (
        "I/1 told/2 him/3 that | he/4 was/5 wrong/6",
        "I/1 told/2 him/3 | he/4 was/5 wrong/6",
    ),
    "no preposition": (
        "we/1 went/2 over | to my/3 cousin's/4 house/5",
        "we/1 went/2 | my/3 cousin/4 house/5",
    ),
    "no subject pronoun": ("I am/1 tired/2 | of/3 this/4", "am/1 tired/2 | of/3 this/4"),
    "zero auxiliary in a question": (
        "where/1 are you/2 going/3 | after/4 school/5",
        "where/1 you/2 goin'/3 | after/4 school/5",
    ),
    # Insertions
    "completive done": (
        "he/1 told/2 me/3 | the/4 truth/5",
        "he/1 done told/2 me/3 | the/4 truth/5",
    ),
    "inserted at the boundary": (
        "he/1 told/2 me/3 | the/4 truth/5",
        "he/1 told/2 me/3 | straight up the/4 truth/5",
    ),
    "inserted at the start": (
        "she/1 left/2 | before/3 noon/4",
        "man look she/1 left/2 | before/3 noon/4",
    ),
    "inserted at the end": (
        "she/1 left/2 | before/3 noon/4",
        "she/1 left/2 | before/3 noon/4 for real tho",
    ),
    "subject doubled": (
        "my/1 mother/2 works/3 | at/4 night/5",
        "my/1 mama/2 she work/3 | at/4 night/5",
    ),
    "habitual be": (
        "they/1 are/2 usually/2 playing/3 | in/4 the/5 park/6",
        "they/1 be/2 playin'/3 | in/4 the/5 park/6",
    ),
    "remote past": (
        "I/1 have/2 known/3 her/4 for/5 a/5 long/5 time/5 | and/6 I/7 trust/8 her/9",
        "I/1 BIN/5 known/3 her/4 | and/6 I/7 trust/8 her/9",
    ),
    # Negative concord and inversion
    "negative concord before": (
        "he/1 does/2 not/2 know/3 anything/4 | about/5 it/6",
        "he/1 don't/2 know/3 nothing/4 | 'bout/5 it/6",
    ),
    "negative concord after": (
        "I/1 went/2 but/3 | nobody/4 had/5 seen/6 him/7",
        "I/1 went/2 but/3 | ain't/5 nobody/4 seen/6 him/7",
    ),
    "negative inversion across the boundary": (
        "today/0 nobody/1 | can/2 beat/3 her/4",
        "today/0 can't/2 nobody/1 | beat/3 her/4",
    ),
    "negation spread over two words": (
        "we/1 never/2 had/3 | any/4 money/5",
        "we/1 ain't/2 never/2 had/3 | no/4 money/5",
    ),
    # Order
    "reordered within the context": (
        "yesterday/1 she/2 called/3 | my/4 aunt/5",
        "she/2 called/3 yesterday/1 | my/4 aunt/5",
    ),
    "reordered within the continuation": (
        "we/1 heard/2 | the/3 news/4 late/5",
        "we/1 heard/2 | late/5 the/3 news/4",
    ),
    "one word moved to the front": (
        "he/1 said/2 he/3 was/4 | hungry/5 as/6 usual/7",
        "usual/7 he/1 said/2 he/3 was/4 | hungry/5 as/6",
    ),
    "one word moved to the end": (
        "now/1 he/2 is/3 here/4 | with/5 his/6 sister/7",
        "he/2 is/3 here/4 | with/5 his/6 sister/7 now/1",
    ),
    "question order": (
        "I/1 asked/2 whether/3 | she/4 could/5 come/6",
        "I/1 asked/2 | could/5 she/4 come/6",
    ),
    "last word of the context moved away": (
        "he/1 left/2 town/3 quickly/4 | with/5 his/6 dog/7 alone/8",
        "he/1 left/2 town/3 | with/5 his/6 dog/7 quickly/4 alone/8",
    ),
    # Repeated words
    "repeated word, each linked to its own": (
        "I/1 said/2 I/3 | will/4 come/5 I/6 will/7",
        "I/1 said/2 I/3 | will/4 come/5 I/6 will/7",
    ),
    "repeated word, linked to both": (
        "I/1,6 said/2 it/3 | because/4 you/5 know/7 I/1,6 care/8",
        "I/1,6 said/2 it/3 | cause/4 you/5 know/7 I/1,6 care/8",
    ),
    "repeated by one of the two": (
        "it/1 was/2 very/3 cold/4 | last/5 night/6",
        "it/1 was/2 cold/4 cold/4 | last/5 night/6",
    ),
    # Punctuation, emoji and lines
    "comma in one text": (
        "when/1 I/2 left,/3 | she/4 cried/5",
        "when/1 I/2 left/3 | she/4 cried/5",
    ),
    "punctuation alone between": (
        "I/1 left/2 … | she/3 cried/4",
        "I/1 left/2 | … she/3 cried/4",
    ),
    "emoji at the end": ("that/1 is/2 great/3 | news/4 😂/5", "that/1 great/3 | news/4 😂/5"),
    "emoji that only one has": ("that/1 is/2 | great/3 news/4", "that/1 | great/3 news/4 😂😂"),
    "quotation": (
        'he/1 said/2 | "come/3 here/4 now"/5',
        'he/1 said/2 | "come/3 here/4 now"/5',
    ),
    "no white space behind the comma": (
        "well,she/1 came/2 | home/3 early/4",
        "well,she/1 came/2 | home/3 early/4",
    ),
    # Lengths
    "AAE much shorter": (
        "it/1 does/2 not/2 matter/2 to/3 me/3 | what/4 they/5 are/6 going/6 to/6 say/7",
        "it/1 don't/2 matter/2 | what/4 they/5 say/7",
    ),
    "AAE much longer": (
        "come/1 in/2 | quickly/3",
        "come/1 on up in/2 | here real quick/3 like for me now",
    ),
    "nothing decides: right after the last aligned word": (
        "she/1 has | seen/2",
        "she/1 | done went and seen/2",
    ),
    "one crossing link among many is borne": (
        "a/1 b/2 c/3 d/4 | e/5 f/6 g/7 h/8",
        "a/1 b/2 c/3 e/5 d/4 | f/6 g/7 h/8",
    ),
}


def test_there_are_forty_or_more() -> None:
    assert len(PAIRS) >= 40


@pytest.mark.parametrize("name", PAIRS)
def test_known_boundaries(name: str) -> None:
    sae, aae = PAIRS[name]
    place, reason = projected(sae, aae)
    assert place is not None, reason
    text, boundary, _ = read(aae)
    assert shown(text, place.offset) == shown(text, boundary)


def read(marked: str) -> tuple[str, int, dict[int, set[str]]]:
    """Text, offset of its boundary, and numbers by position of the word."""
    chunks = [re.fullmatch(r"(.*?)(?:/([\d,]+))?", c) for c in marked.split() if c != "|"]
    plain = [(m[1], set((m[2] or "").split(",")) - {""}) for m in chunks if m]
    text = " ".join(chunk for chunk, _ in plain)
    before = len(marked.partition("|")[0].split())
    boundary = len(" ".join(chunk for chunk, _ in plain[:before]))
    numbers, start = {}, 0
    found = words(text)
    for chunk, own in plain:
        end = start + len(chunk)
        inside = [i for i, w in enumerate(found) if start <= w.start < end and not w.is_mark]
        numbers.update(dict.fromkeys(inside, own))
        start = end + 1
    return text, boundary, numbers


def projected(sae: str, aae: str, rules: Rules | None = None) -> tuple[Place | None, str]:
    sae_text, boundary, sae_numbers = read(sae)
    aae_text, _, aae_numbers = read(aae)
    links = {
        (i, k) for i, one in sae_numbers.items() for k, other in aae_numbers.items() if one & other
    }
    place = next(p for p in places(sae_text) if p.offset == boundary)
    return project(
        words(sae_text), words(aae_text), links, place, places(aae_text), rules or Rules()
    )


def shown(text: str, offset: int) -> str:
    return f"{text[:offset]} |{text[offset:]}"


@pytest.mark.parametrize(
    ("sae", "aae", "reason"),
    [
        ("a b | c d", "e f | g h", UNALIGNED),
        ("a b | c/1 d/2", "e f | c/1 d/2", NONE_BEFORE),
        ("a/1 b/2 | c d", "a/1 b/2 | g h", NONE_AFTER),
        ("a/1 b/2 | c/3 d/4", "c/3 d/4 | a/1 b/2", CROSSING),
        # All that the continuation says, one word of the AAE context says.
        ("I/1 have known/3 her/4 | for/5 a/5 long/5 time/5", "I/1 BIN/5 | known/3 her/4", CROSSING),
        # Two of the three links of the continuation, though most links are on the right side.
        ("a/1 b/2 c/3 d/4 e/5 f/6 | g/7 h/8 i/9", "g/7 h/8 a/1 b/2 c/3 d/4 e/5 f/6 i/9", CROSSING),
    ],
)
def test_reasons(sae: str, aae: str, reason: str) -> None:
    assert projected(sae, aae) == (None, reason)


def test_links_that_may_cross_are_a_share_of_a_side() -> None:
    sae, aae = "a/1 b/2 c/3 | d/4 e/5 f/6", "a/1 b/2 d/4 c/3 | e/5 f/6"
    assert projected(sae, aae)[0] is not None  # one of three
    assert projected(sae, aae, Rules(max_crossing=0.3)) == (None, CROSSING)


def test_punctuation_neither_separates_nor_joins() -> None:
    sae, aae = words("no, I left , today"), words("no , I left, today")
    marks = {(1, 4), (4, 1)}  # crossing, if they counted
    links = {(0, 0), (2, 2), (3, 3), (5, 5), *marks}
    place = project(sae, aae, links, Place(3, 0.2), places("no , I left, today"), Rules())[0]
    assert place is not None
    assert place.offset == 2
