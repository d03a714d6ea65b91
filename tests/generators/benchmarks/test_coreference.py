import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.benchmarks.coreference import (
    GENDER_WORDS,
    INSTRUCTION,
    PRONOUNS,
    Occupations,
    difference,
    make_item,
    make_pair,
    parse_marked,
    protected_spans,
)
from sociolect.generators.errors import SourceError

OCCUPATIONS = Occupations(("cook", "construction worker", "CEO"), ("worker", "nurse", "secretary"))
SENTENCE = "The cook thanked [the nurse] because [she] was kind."


def _protected(text: str) -> list[str]:
    return [span.of(text) for span in protected_spans(text, OCCUPATIONS)]


def test_brackets_go_and_their_places_stay() -> None:
    marked = parse_marked(SENTENCE, "f:1")
    assert marked.text == "The cook thanked the nurse because she was kind."
    assert marked.referent.of(marked.text) == "the nurse"
    assert marked.pronoun.of(marked.text) == "she"


def test_only_the_first_two_brackets_count() -> None:
    marked = parse_marked("[The cook] left as [he] cut [his] hand [himself].", "f:1")
    assert marked.text == "The cook left as he cut his hand himself."
    assert marked.pronoun.of(marked.text) == "he"
    assert _protected(marked.text) == ["cook", "he", "his", "himself"]


@pytest.mark.parametrize(
    ("line", "text", "referent"),
    [
        ("[ the cook] saw [her].", "the cook saw her.", "the cook"),
        ("the [ cook ] saw [ her ] .", "the cook saw her.", "cook"),
        ("The [The cook] saw [her].", "The The cook saw her.", "The cook"),
        ("He saw [the cook] 's hat and [her] .", "He saw the cook's hat and her.", "the cook"),
        ("[The cook] did n't see [her] , ok ?", "The cook didn't see her, ok?", "The cook"),
        ("[The cook] ’s pot burnt [her]", "The cook’s pot burnt her", "The cook"),
    ],
)
def test_slips_and_tokenised_spaces(line: str, text: str, referent: str) -> None:
    marked = parse_marked(line, "f:1")
    assert marked.text == text
    assert marked.referent.of(marked.text) == referent
    assert marked.pronoun.of(marked.text) == "her"


@pytest.mark.parametrize(
    "untouched",
    ["two  spaces", "a 'quoted' word", " :-) smile", "the 1990 s", "costs .50", "it 'salt'"],
)
def test_other_characters_stay(untouched: str) -> None:
    assert parse_marked(f"{untouched} [the cook] [he]", "f:1").text.startswith(untouched)


_PLAIN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="[]"))


@given(_PLAIN, _PLAIN, _PLAIN)
def test_spans_hold_what_was_in_the_brackets(before: str, between: str, after: str) -> None:
    marked = parse_marked(f"{before}[the cook]{between}[him]{after}", "f:1")
    assert marked.referent.of(marked.text) == "the cook"
    assert marked.pronoun.of(marked.text) == "him"
    assert len(marked.text) <= len(before + between + after) + len("the cookhim")


@pytest.mark.parametrize(
    "line",
    [
        "The cook met [the nurse] because she was kind.",
        "No brackets.",
        "",
        "The cook met [] because [she] was kind.",
        "The cook met [the nurse because [she] was kind.",
        "The cook met [the nurse] because [she] was] kind.",
        "The cook met [the nurse] [ ] and [she] was kind.",
    ],
)
def test_malformed_brackets_name_their_line(line: str) -> None:
    with pytest.raises(SourceError, match=r"^some\.file:12: expected \[referent\] and"):
        parse_marked(line, "some.file:12")


def test_second_bracket_must_be_a_pronoun() -> None:
    with pytest.raises(SourceError, match="f:3: 'they' is not a gendered pronoun"):
        parse_marked("[The cook] left as [they] wished.", "f:3")


def test_longest_occupation_and_whole_words() -> None:
    text = "The Construction  Worker saw a worker, a cookbook, the ceo and nurses."
    found = list(OCCUPATIONS.mentions(text))
    assert [m.name for m in found] == ["construction worker", "worker", "CEO"]
    assert [m.span.of(text) for m in found] == ["Construction  Worker", "worker", "ceo"]


def test_words_of_the_occupations() -> None:
    assert {"construction", "worker", "ceo", "nurses", "secretaries"} <= OCCUPATIONS.words
    assert all(word == word.lower() for word in OCCUPATIONS.words)


@pytest.mark.parametrize(("male", "female"), [((), ("x",)), (("x",), ()), (("x",), ("x", "y"))])
def test_useless_occupation_lists(male: tuple[str, ...], female: tuple[str, ...]) -> None:
    with pytest.raises(SourceError, match="occupation lists"):
        Occupations(male, female)


def test_protected_occupation_without_article_but_with_possessive() -> None:
    text = "The CEO asked the construction worker's friend whether he liked the nurse’s herb."
    assert _protected(text) == ["CEO", "construction worker's", "he", "nurse’s"]


def test_item_of_a_sentence() -> None:
    item = make_item("b/type1/0007", "pro", parse_marked(SENTENCE, "f:1"), OCCUPATIONS, "f:1")
    assert (item.id, item.pair_id, item.benchmark) == ("b/type1/0007/pro", "b/type1/0007", "b")
    assert item.options == ("cook", "nurse")
    assert (item.gold, item.target_option) == (1, 1)
    assert item.question == 'In the sentence, who does "she" refer to?'
    assert item.parts["instruction"] == INSTRUCTION


def test_target_of_an_anti_sentence_is_the_other_occupation() -> None:
    marked = parse_marked(SENTENCE.replace("[she]", "[he]"), "f:1")
    item = make_item("b/1", "anti", marked, OCCUPATIONS, "f:1")
    assert (item.gold, item.target_option) == (1, 0)


@pytest.mark.parametrize(
    ("line", "member", "message"),
    [
        (SENTENCE, "anti", "f:9: 'she' for 'nurse' does not fit the anti member"),
        (SENTENCE.replace("[she]", "[he]"), "pro", "'he' for 'nurse' does not fit the pro member"),
        (SENTENCE.replace("cook", "boss"), "pro", r"f:9: .* found \['nurse'\]"),
        (SENTENCE.replace("cook", "secretary"), "pro", "one occupation of each list"),
        (SENTENCE.replace("kind", "no CEO"), "pro", "one occupation of each list"),
        ("The cook saw the nurse as [a friend] of [her].", "pro", "'a friend' is not one listed"),
        ("[The cook and the nurse] met [him].", "pro", "is not one listed occupation"),
    ],
)
def test_sentences_that_cannot_be_items(line: str, member: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        make_item("b/1", member, parse_marked(line, "f:9"), OCCUPATIONS, "f:9")


@pytest.mark.parametrize(
    ("pro", "anti"),
    [
        ("She hurt her arm.", "He hurt his arm."),
        ("The cook saw her.", "The cook saw him."),
        ("It is hers, she did it herself.", "It is his, he did it himself."),
    ],
)
def test_mirrored_members_do_not_differ(pro: str, anti: str) -> None:
    assert difference(pro, anti) == difference(anti, pro) == ""


@pytest.mark.parametrize(
    ("pro", "anti", "note"),
    [
        ("She is careless.", "He is rude.", "'careless.' against 'rude.'"),
        ("She saw a cook.", "He saw cook.", "'a' against 'nothing'"),
        ("She saw  it.", "He saw it.", "white space"),
        ("He likes him.", "He likes him.", "not mirrored"),
        ("She hurt her arm.", "He hurt her arm.", "not mirrored"),
    ],
)
def test_other_differences_are_described(pro: str, anti: str, note: str) -> None:
    assert note in difference(pro, anti)


def test_pair_that_differs_is_kept_but_not_valid() -> None:
    pro = make_item("b/1", "pro", parse_marked(SENTENCE, "f:1"), OCCUPATIONS, "f:1")
    other = SENTENCE.replace("[she]", "[he]").replace("kind", "rude")
    anti = make_item("b/1", "anti", parse_marked(other, "f:1"), OCCUPATIONS, "f:1")
    pair = make_pair("b/1", pro, anti)
    assert pair.members == (pro, anti)
    assert not pair.valid
    assert "'kind.' against 'rude.'" in pair.note


def test_instruction() -> None:
    text = INSTRUCTION.text
    assert [s.of(text) for s in INSTRUCTION.protected] == [r"\boxed{A}", r"\boxed{B}"]
    assert 45 <= len(text.split()) <= 70
    assert not GENDER_WORDS & set(text.lower().split())


def test_gender_words_are_lower_case_and_hold_the_pronouns() -> None:
    assert set(PRONOUNS) <= GENDER_WORDS
    assert {"man", "women", "mother", "sir", "ma'am"} <= GENDER_WORDS
    assert all(word == word.lower() for word in GENDER_WORDS)
