from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.dialect import rejection
from sociolect.generators.dialect.corpora import load_pairs
from sociolect.generators.dialect.rejection import REASONS, Limits, reject_reason, tidy
from sociolect.generators.errors import InvalidInputError

SOURCE = "she been knowing I ain't got no 5 dollars fa dat :) so why she keep asking"
GOOD = "She has known for a long time I have no 5 dollars for that :) so why does she keep asking?"
INSTRUCTION = (
    "The text below is in African American English. Translate it into Standard American English. "
    "Keep every name as it is, and answer with the translation only."
)

ACCEPTED = [
    (SOURCE, GOOD),
    ("ion even know why they be acting like that all the time", "I do not even know why they "
     "always act like that"),
    ("he finna go 2 da store b4 it close", "He is about to go to the store before it closes"),
    ("we was up til 3am she aint never called me back", "We were up until 3 am, she never "
     "called me back"),
    ("me and her been cool since 09", "She and I have been cool since 09"),
    ("don't nobody want none of that", "Nobody wants any of that"),
    ("im sorry but i cant help you move this weekend bruh", "I'm sorry, but I can't help you move "
     "this weekend, brother"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "translation"), ACCEPTED)
def test_translations_pass(source: str, translation: str) -> None:
    assert reject_reason(translation, source, instruction=INSTRUCTION) is None
    assert reject_reason(source, translation, instruction=INSTRUCTION) is None


def of(reason: str, *cases: tuple[str, str]) -> list[tuple[str, str, str]]:
    return [(reason, source, text) for source, text in cases]


PLAIN = "they be talking all day bout nothing and dont nobody care"
SAID = "They always talk all day about nothing and nobody cares"

REJECTED = [
    *of(
        "cut_off",
        (PLAIN, "<think>They talk, so"),
        (PLAIN, "<think>"),
        (PLAIN, "\n<Thinking>\nHere is the translation: **They talk**"),
        (PLAIN, f"<think>one</think><think>{SAID}"),
        (PLAIN, f"<reasoning>{SAID}</reason"),
    ),
    *of(
        "characters",
        (PLAIN, f"{SAID}\0."),
        (PLAIN, f"{SAID} \ud83d"),
        (PLAIN, f"\x1b[31m{SAID}"),
        (PLAIN, f"{SAID}\x1b[2J\x07"),
        (PLAIN, f"\u202e{SAID}"),
        (PLAIN, f"\u2067{SAID}\u2069"),
        (PLAIN, SAID.replace("a", "a\u200b")),
        (f"{PLAIN}\0\ud83d", f"{SAID}\0\ud83d"),
        (f"{PLAIN}\u202e", f"{SAID}\u202d"),
    ),
    *of("empty", (PLAIN, ""), (PLAIN, "  \n"), (PLAIN, '""'), (PLAIN, "..."), (PLAIN, "“ ”"),
        (PLAIN, "12")),
    *of(
        "refusal",
        (PLAIN, "I'm sorry, but I can't help with that request."),
        (PLAIN, "I cannot translate this text because it may be offensive."),
        (PLAIN, "As an AI, I do not take part in this kind of talk."),
        (PLAIN, "I am unable to provide a translation of this text."),
        (PLAIN, "Sorry, I won't rewrite this tweet in another way."),
        (PLAIN, "I’m just a language model and have no view on this."),
        (PLAIN, "I refuse to translate texts of this kind, whoever wrote them."),
        (PLAIN, "I must decline."),
        (PLAIN, "This text violates our content policy, so no."),
    ),
    *of(
        "echo",
        (PLAIN, "Keep every name as it is, and answer with the translation only."),
        (PLAIN, "Translate it into Standard American English. Keep every name as it is."),
        (PLAIN, f"answer with the translation only, and so: {SAID}"),
        (PLAIN, f"The text below is in African American English. {SAID}"),
        (PLAIN, "It into standard American English keep every name"),
    ),
    *of(
        "markup",
        (PLAIN, f"# Translation\n{SAID}"),
        (PLAIN, f"**{SAID}**"),
        (PLAIN, f"```{SAID}```"),
        (PLAIN, f"- {SAID}"),
        (PLAIN, f"1. {SAID}\n2. They talk"),
        (PLAIN, f"### {SAID}"),
    ),
    *of(
        "explanation",
        (PLAIN, f"Here is the translation: {SAID}"),
        (PLAIN, f"Here's a version in plain English: {SAID}"),
        (PLAIN, f"Sure! {SAID}"),
        (PLAIN, f"Sure, here it is: {SAID}"),
        (PLAIN, f"In Standard American English, {SAID}"),
        (PLAIN, f"SAE: {SAID}"),
        (PLAIN, f"Translation: {SAID}"),
        (PLAIN, f"{SAID} (Note: the habitual be was rendered as always)"),
        (PLAIN, f"{SAID} (literally, about no thing)"),
        (PLAIN, f"{SAID} [informal speech]"),
        (PLAIN, f"{SAID} Note: informal."),
        (PLAIN, f"This translates to: {SAID}"),
        (PLAIN, "The speaker is saying that they always talk about nothing."),
    ),
    *of(
        "several",
        (PLAIN, f"{SAID}\n\nThey are always talking"),
        (PLAIN, f"{SAID}\nNobody cares"),
        (PLAIN, f"Option 1: {SAID}"),
        (PLAIN, f"{SAID}. Alternatively, they always talk"),
        (PLAIN, f"{SAID} / They are always talking"),
        (PLAIN, '"They always talk about nothing" or "They are always talking"'),
        (PLAIN, f"{SAID}, or simply: they talk"),
    ),
    *of(
        "not_english",
        (PLAIN, "Они всегда говорят весь день ни о чём"),
        (PLAIN, "他们整天谈论 nothing and nobody cares about it all day"),
        (PLAIN, "Çà ét là ïls pârlént tøût lé jôür dé rïén"),
        (PLAIN, "They always talk all day περι nothing and nobody cares"),
        (PLAIN, "They always talk about nothing and nobody cares هم"),
    ),
    *of(
        "length",
        (PLAIN, "They talk"),
        (PLAIN, "Nobody cares about it"),
        (PLAIN, f"{SAID} {SAID} {SAID}"),
        (PLAIN, "Nothing"),
        ("ion know", "I do not know what this is about"),
    ),
    *of(
        "numbers_changed",
        ("he owe me 20 dollars man", "He owes me 30 dollars, man"),
        ("he owe me 20 dollars man", "He owes me some dollars, man"),
        ("he owe me some money man", "He owes me 20 dollars, man"),
        ("we met in 2012 at da park", "We met at the park"),
        ("wake up at 6:30 every day", "Wake up at 7:30 every day"),
        ("it be 90 out there 2 days straight", "It is 80 out there 2 days straight"),
    ),
    *of(
        "links_changed",
        ("dat boy @kev be wildin", "That boy always acts wild"),
        ("look http://t.co/abc it be like dat", "Look http://t.co/abd it is like that"),
        ("look at dis www.a.com y'all", "Look at this, everyone"),
        ("we finna win #blessed", "We are about to win #lucky"),
        ("we finna win fam", "We are about to win #fam"),
    ),
    *of(
        "emoji_changed",
        ("he be lying 😂😂 all day", "He always lies 😂 all day"),
        ("he be lying all day", "He always lies 😂 all day"),
        ("he be lying 👍🏾 all day", "He always lies 👍🏻 all day"),
        ("she aint here :( today", "She is not here today"),
        ("she aint here :( today", "She is not here :) today"),
        ("i love y'all <3 fr", "I love you all for real"),
    ),
    *of(
        "placeholders_changed",
        ("[NAME] be late all the time", "They are late all the time"),
        ("<user> finna go home", "He finna go home <url>"),
        ("tell {name} i said hey", "Tell him-or-them I said hi"),
        ("she call me ___ all day", "She calls me names all day"),
        ("we was at [PLACE] yesterday", "We were at [CITY] yesterday"),
    ),
    *of(
        "gendered_pronouns_changed",
        ("he finna leave", "She is about to leave"),
        ("they finna leave", "He is about to leave"),
        ("my brother he left", "She left"),
        ("he love they mama", "She loves their mother"),
        ("the teacher say it too much", "The teacher said he says it too much"),
        ("be working all day", "He works all day"),
        ("she tol him wassup", "He told him what is up"),
        ("hes tripping over nothing", "They are overreacting about nothing"),
        ("it aint hers", "It is not his"),
    ),
    *of(
        "unchanged",
        (PLAIN, PLAIN),
        (PLAIN, PLAIN.upper()),
        (PLAIN, f"{PLAIN.capitalize()}."),
        (PLAIN, f'"{PLAIN}"'),
        ("he don’t know", "He don't know!"),
        ("well, we up", "Well we up"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "source", "translation"), REJECTED)
def test_rejections(reason: str, source: str, translation: str) -> None:
    assert reject_reason(translation, source, instruction=INSTRUCTION) == reason


NOT = [
    *of(
        "cut_off",
        (PLAIN, f"<think>They talk.</think>{SAID}"),
        (PLAIN, f"They talk, so</think>\n\n{SAID}"),
        (PLAIN, f"I <think> {SAID}"),
        (f"<think> {PLAIN}", f"<think> {SAID}"),
        (PLAIN, SAID),
    ),
    *of(
        "characters",
        ("he\tup\r\nshe down", "He\tis up\r\nShe is down"),
        (f"{PLAIN}\u202e", f"{SAID}\u202e"),
        ("my family \U0001f468\u200d\U0001f469 \u2764\ufe0f",
         "My family \U0001f468\u200d\U0001f469 \u2764\ufe0f"),
        ("he naive", "He is nai\u0308ve"),
        (PLAIN, f"{SAID}\n\x0b"),
    ),
    *of("empty", (PLAIN, "a"), (PLAIN, SAID), (PLAIN, '"a"'), (PLAIN, "é"), (PLAIN, "...ok")),
    *of(
        "refusal",
        ("i cant help u wit dat man", "I can't help you with that, man"),
        ("im not finna do allat", "I'm not going to do all of that"),
        ("sorry i cant make it to class", "I'm sorry, I can't make it to class"),
        ("i wont be there", "I will not be there"),
        ("he cant translate for me no more", "He cannot translate for me anymore"),
        ("i aint able to help nobody", "I'm not able to help anybody"),
    ),
    *of(
        "echo",
        ("answer wit da truth only", "Answer with the truth only"),
        (PLAIN, "They keep every name"),
        (PLAIN, SAID),
        ("keep every name as it is and dip", "Keep every name as it is and go"),
        ("da text below", "The text below is"),
    ),
    *of(
        "markup",
        ("#blessed", "#blessed"),
        ("- he finna go", "- He is about to go"),
        ("he **mad** bruh", "He is **mad**, brother"),
        ("1. he up", "1. He is awake"),
        ("he said - no", "He said - no"),
    ),
    *of(
        "explanation",
        ("yeah ima be there", "Sure! I will be there"),
        ("aave not slang tho", "AAVE is not slang, though"),
        ("here go my mama", "Here is my mother"),
        ("he late (again)", "He is late (again)"),
        ("he late (again smh)", "He is late (again, it is a shame)"),
        ("he late 1 2", "He is late (1, 2)"),
        ("note 2 self dont call", "Note to self, do not call"),
        ("of course he late", "Of course he is late"),
        ("they aint say nun bout dat", "They did not say anything about that (ever)"),
    ),
    *of(
        "several",
        ("he up\nshe down", "He is awake\nShe is asleep"),
        ("this or that", "This or that"),
        ("w/ my mama", "With my mother and/or father"),
        ("he / she whatever", "He / she, whatever"),
        ("it aint no option", "It is not an option"),
    ),
    *of(
        "not_english",
        ("beyonce fine", "Beyoncé is beautiful"),
        ("at da cafe", "At the café"),
        ("mi casa su casa señor ñ", "Mi casa su casa, señor ñ"),
        ("he naive", "He is naïve about everything here"),
        (PLAIN, SAID),
    ),
    *of(
        "length",
        ("finna go", "I am about"),
        ("he up there", "He is up there right now"),
        (PLAIN, SAID),
        ("one two three four", "One two"),
        ("one two", "One two three four"),
    ),
    *of(
        "numbers_changed",
        ("2 much 4 me", "Too much for me"),
        ("he b4 me gr8 2day", "He is before me, great today"),
        ("i got 1 dollar", "I have one dollar"),
        ("dat cost 1,000", "That costs 1000"),
        ("my 2nd day", "My second day"),
        ("two of em", "2 of them"),
        ("see u at 5pm", "See you at 5 pm"),
    ),
    *of(
        "links_changed",
        ("hey @Kev", "Hi @kev"),
        ("we up #Blessed", "We are up #blessed"),
        ("see http://t.co/a.", "Look at http://t.co/a"),
        ("www.a.com yall", "Everyone, www.a.com"),
        ("we # 1", "We are # 1"),
    ),
    *of(
        "emoji_changed",
        ("😂 he lying", "He is lying 😂"),
        ("❤️ y'all", "I love you ❤"),
        ("he up :)", "He is up :)"),
        ("ratio 3:1", "The ratio is 3:1"),
        ("note:papa up", "Note:Papa is up"),
    ),
    *of(
        "placeholders_changed",
        ("[NAME] up", "[name] is up"),
        ("she ____ off", "She is ___ off"),
        ("<user> up", "<USER> is up"),
        ("5 < 6 > 4", "5 < 6 > 4"),
        ("[1] up", "(1) is up"),
    ),
    *of(
        "gendered_pronouns_changed",
        ("me and her went", "She and I went"),
        ("he did it hisself", "He did it himself"),
        ("hes up", "He's up"),
        ("SHE up", "She is up"),
        ("they momma", "Their mother"),
        ("my mama she be tired", "My mother is usually tired"),
        ("my lil brother, he crazy", "My little brother is crazy"),
        ("everybody love they mama", "Everybody loves his mother"),
        ("everybody got they own", "Everyone has her own"),
        ("there's a man he live down the street", "There is a man who lives down the street"),
        ("she say she be working", "She says that she works, she always works"),
        ("he up and be talking", "He is up and he is talking"),
        ("the hero here", "The hero is here"),
    ),
    *of(
        "unchanged",
        (PLAIN, SAID),
        ("he up", "He's up"),
        ("they house", "Their house"),
        ("she walk", "She walks"),
        ("i been knew", "I knew"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "source", "translation"), NOT)
def test_not_rejected_for(reason: str, source: str, translation: str) -> None:
    assert reject_reason(translation, source, instruction=INSTRUCTION) != reason


@pytest.mark.parametrize("cases", [REJECTED, NOT])
def test_every_reason_has_five_cases(cases: list[tuple[str, str, str]]) -> None:
    for reason in REASONS:
        assert sum(one == reason for one, _, _ in cases) >= 5, reason


@pytest.mark.parametrize(
    ("raw", "source", "text"),
    [
        ('"He is up."', "he up", "He is up."),
        (" “He is up.”\n", "he up", "He is up."),
        ("'It's his'", "it his", "It's his"),
        ("\"'He is up'\"", "he up", "He is up"),
        ('"he" and "she"', "he", '"he" and "she"'),
        ('"He is up"', '"he up"', '"He is up"'),
        ("'he' or 'she'", "he", "'he' or 'she'"),
        ('"', "he", '"'),
    ],
)
def test_quotation_marks_around_are_taken_off(raw: str, source: str, text: str) -> None:
    assert tidy(raw, source) == text


@pytest.mark.parametrize(
    "raw",
    [
        "<think>He is, maybe, awake.</think>He is up.",
        '<think>\nHe is\n</think>\n\n<think>or not</THINK>\n"He is up."',
        "He is.</think> He is up.",
        f"<thinking>{'hm ' * 10_000}</thinking>He is up.",
    ],
)
def test_thoughts_before_a_translation_are_taken_off(raw: str) -> None:
    assert tidy(raw, "he up") == "He is up."
    assert reject_reason(raw, "he up") is None


def test_what_the_token_limit_ended_is_cut_off() -> None:
    assert reject_reason(SAID, PLAIN) is None
    assert reject_reason(SAID, PLAIN, cut_off=True) == "cut_off"
    assert reject_reason("", PLAIN, cut_off=True) == "cut_off"


def test_what_is_far_too_long_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    # 20 times 5 characters, and 2,000 more.
    assert reject_reason("w" * 2_101, "he up") == "length"
    assert reject_reason("\0" + "w" * 2_099, "he up") == "characters"
    assert reject_reason("\0" + "w" * 2_100, "he up") == "length"
    assert reject_reason(f"<think>{'w' * 9_999}", "he up") == "cut_off"
    monkeypatch.setattr(rejection, "tidy", pytest.fail)
    assert reject_reason("'" * 2_000_000, "he up") == "length"


@given(st.text(max_size=60), st.text(max_size=60))
def test_every_text_has_a_fate(raw: str, source: str) -> None:
    assert reject_reason(raw, source, instruction=INSTRUCTION) in {None, *REASONS}
    assert reject_reason(source, source, instruction=source) is not None


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=60))
def test_a_tidy_text_stays(raw: str) -> None:
    assert tidy(tidy(raw, ""), "") == tidy(raw, "")


def test_the_limits_are_options() -> None:
    long = "They always, always talk all day long about nothing at all and nobody cares"
    assert reject_reason(long, PLAIN) is None
    assert reject_reason(long, PLAIN, limits=Limits(0.8, 1.1)) == "length"


@pytest.mark.parametrize(
    "pair", [(0.0, 2.0), (1.1, 2.0), (0.5, 0.9), (0.5, float("inf")), (float("nan"), 2.0)]
)
def test_limits_that_cannot_be(pair: tuple[float, float]) -> None:
    with pytest.raises(InvalidInputError, match="--min-ratio"):
        Limits(*pair)


@pytest.mark.parametrize(("name", "share"), [("habitual", 1.0), ("redial", 0.75)])
def test_what_people_wrote_passes(name: str, share: float) -> None:
    # ReDial's authors rewrote long prompts freely: some of their texts are twice as long.
    folder = os.environ.get("SOCIOLECT_SOURCES")
    if not folder or not all((Path(folder) / one).is_dir() for one in ("redial", "hofmann")):
        pytest.skip("SOCIOLECT_SOURCES names no folder with redial/ and hofmann/")
    pairs = load_pairs(name, Path(folder)).pairs[::3]
    for texts in ([(p.aae, p.sae) for p in pairs], [(p.sae, p.aae) for p in pairs]):
        found = Counter(reject_reason(there, here) for here, there in texts)
        assert found[None] >= share * len(pairs), found
        assert not {"refusal", "markup", "not_english", "unchanged"} & found.keys()
