"""One text at a time, of any kind."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sociolect.generators import nlp
from sociolect.generators.audit import clash_count
from sociolect.generators.conditions import ERROR_TYPES, RULES, ErrorType
from sociolect.generators.distance import measure
from sociolect.generators.errors import (
    InvalidInputError,
    LevelUnreachableError,
    UnknownNameError,
)
from sociolect.generators.inject import Injector, Perturbed, clean_texts, inject, realised_mix
from sociolect.generators.items import Benchmark
from sociolect.generators.learner.tables import shares
from sociolect.generators.text import Edit, Span, invert, map_spans, touches
from sociolect.generators.variants import Variants

TEXT = (
    "The manager spoke to the clerk about the report, and then she sent a copy of it to the "
    "office in the old town. They discussed the plans for an hour."
)


def test_the_same_call_gives_the_same_text() -> None:
    assert inject(TEXT) == inject(TEXT)


def test_seeds_differ() -> None:
    assert len({inject(TEXT, seed=s).text for s in range(10)}) == 10


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("level", [5, 10, 20, 30])
def test_the_rate_is_the_nearest_that_this_text_allows(level: float, rules: str) -> None:
    errored = inject(TEXT, level=level, rules=rules)
    step = 1 / errored.n_tokens
    assert abs(errored.error_rate - level / 100) <= step / 2 + 1e-9 or errored.n_tokens != 31
    assert errored.n_tokens >= 31


def test_a_level_between_nothing_and_one_error_may_be_nothing() -> None:
    errored = inject("The dog ran home.", level=5)
    assert errored.text == errored.clean
    assert errored.n_edits == 0
    assert errored.error_rate == 0


@pytest.mark.parametrize("error_type", ERROR_TYPES)
def test_only_the_wanted_type_is_injected(error_type: ErrorType) -> None:
    errored = inject(TEXT, level=10, types=[error_type])
    assert {e.type for e in errored.edits if not e.is_repair} == {error_type}


def test_protected_spans_stay() -> None:
    span = Span(TEXT.index("the clerk about the report"), TEXT.index(", and"))
    for seed in range(20):
        errored = inject(TEXT, level=30, seed=seed, protected=[span])
        (moved,) = map_spans([span], errored.edits)
        assert moved.of(errored.text) == "the clerk about the report"


def test_errors_lead_back_to_the_clean_text() -> None:
    errored = inject(TEXT, level=30)
    assert errored.clean == TEXT
    assert invert(errored.text, errored.edits) == TEXT
    assert list(errored.edits) == sorted(errored.edits, key=lambda e: e.start)


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_an_empty_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="empty"):
        inject(text)


@pytest.mark.parametrize("level", [0, -5, 100.1, float("nan"), float("inf")])
def test_a_level_must_be_a_rate(level: float) -> None:
    with pytest.raises(InvalidInputError, match="level"):
        inject(TEXT, level=level)


def test_no_type_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="det, prep, verb, spell"):
        inject(TEXT, types=[])


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"prepp.*prep"):
        inject(TEXT, types=["prepp"])
    with pytest.raises(UnknownNameError, match=r"carefull.*careful"):
        inject(TEXT, rules="carefull")


@pytest.mark.parametrize("text", ["42", "…", "Ann", "日本", "He."])
def test_a_text_without_anything_to_edit_is_told(text: str) -> None:
    with pytest.raises(InvalidInputError, match="no token of the text is eligible for verb"):
        inject(text, types=["verb"])


def test_a_level_out_of_reach_names_the_ceiling() -> None:
    with pytest.raises(LevelUnreachableError, match=r"verb: 90% .* the ceiling is 2\d"):
        inject("The dog ran home.", level=90, types=["verb"])


def test_a_span_past_the_end_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="ends after"):
        inject("The dog ran.", protected=[Span(4, 40)])


def test_an_injector_of_a_benchmark_is_not_bound_to_the_order_of_questions(
    tiny: Callable[..., Benchmark],
) -> None:
    benchmark = tiny(*[(f"The clerk {i} went to the office.",) for i in range(5)])
    one, other = (Injector(benchmark, "input", 0, "paper") for _ in range(2))
    first = list(one.render(("prep",), 5.0))
    list(other.render(ERROR_TYPES, 50.0))
    list(other.render(("det",), 1.0))
    assert list(other.render(("prep",), 5.0)) == first


def test_clean_members_have_no_edits(tiny: Callable[..., Benchmark]) -> None:
    benchmark = tiny(("He paid the clerk.", "She paid the clerk."))
    ((pro, anti),) = clean_texts(benchmark, "input")
    assert (pro.text, anti.text) == ("He paid the clerk.", "She paid the clerk.")
    assert pro.n_edits == pro.distance == 0
    assert pro.n_tokens == 4


def test_realised_mix_counts_errors_and_not_repairs() -> None:
    edits = [
        Edit(0, 4, "The ", "", "det", "deletion"),
        Edit(4, 5, "d", "D", "case", "repair"),
        Edit(8, 11, "the", "a", "det", "replacement"),
        Edit(12, 15, "the", "a", "det", "replacement"),
    ]
    mix = {(m.type, m.operation): m for m in realised_mix(("det",), edits)}
    assert mix["det", "deletion"].count == 1
    assert mix["det", "deletion"].share == pytest.approx(1 / 3)
    assert mix["det", "replacement"].count == 2
    assert mix["det", "insertion"].count == 0
    assert {(m.type, m.operation): m.wanted for m in mix.values()} == {
        (pool.type, pool.operation): share for pool, share in shares(("det",)).items()
    }


def test_the_mix_of_nothing_is_zero() -> None:
    assert all(m.count == m.share == 0 for m in realised_mix(("spell",), []))


def test_the_mix_on_winobias_follows_the_corpus(variants: Callable[..., Variants]) -> None:
    from sociolect.generators.conditions import Condition

    for level in (5, 10, 20, 30):
        _, entry = variants("paper").config(Condition("l2", level, "input"))
        for m in entry["mix"]:
            assert m["share"] == pytest.approx(m["wanted"], abs=0.03), (level, m)
        by_type = {t: sum(m["share"] for m in entry["mix"] if m["type"] == t) for t in ERROR_TYPES}
        assert by_type == pytest.approx(
            {"det": 0.253, "prep": 0.261, "verb": 0.263, "spell": 0.223}, abs=0.04
        )


# Arbitrary texts.

_WORDS = r"""
the a an this that those The A An THE in on at to of for with by up out I she he it they and but
is are was were be been has had do does did will would can could may must ought not no so who which
don't can't won't cannot isn't they're he's John's dogs' let's gonna ain't y'all 'tis rock'n'roll
CEO MRI NASA U.S. e.g. Mr. Dr. hour honest university European one-time uncle umbrella unit
run ran read put cut talked went houses people child information advice apple big old lie hates
5 8 11 2,000 3.14 50% $20 5th 1990s x y and/or http://a.b/c a@b.com #tag @me <b> </b> {x} [y]
well-known state-of-the-art mother-in-law \boxed{A} _it_ *bold* `code` iPhone McDonald O'Brien
naïve über 日本 İstanbul ß ﬁne 😀 👩‍🔬 id dont cant im hes its lemme
"""
WORDS = [*_WORDS.split(), "\u200b", "\u0301"]
MARKS = [*".,!?;:…\"'“”‘’()-–—/", "...", "--", "\\"]
SPACES = [" "] * 10 + ["  ", "\n", "\r\n", "\t", "\n\n", "\u00a0", "", "\u2003", " \n"]


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """Words, marks and white space, in an order that is sometimes English."""
    text = draw(st.sampled_from(["", " ", "\n", "\ufeff", "“", '"', "("]))
    for _ in range(draw(st.integers(1, 20))):
        word = draw(st.sampled_from(WORDS) | st.sampled_from(WORDS) | st.sampled_from(MARKS))
        shape = draw(st.integers(0, 12))
        word = word.upper() if shape == 0 else word.capitalize() if shape == 1 else word
        word += draw(st.sampled_from(MARKS)) if shape in (2, 3) else ""
        text += word + draw(st.sampled_from(SPACES))
    return text


ANY_TEXT = st.one_of(
    sentences(),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60),
    st.text(st.sampled_from(" .,'\"-()…\n"), min_size=1, max_size=20),
    st.builds(
        lambda c, n: f"The {c * n} of a {c * n}.", st.sampled_from("ab日"), st.integers(1, 400)
    ),
)
TYPES = st.sets(st.sampled_from(ERROR_TYPES), min_size=1).map(sorted)


@st.composite
def spans_in(draw: st.DrawFn, text: str) -> tuple[Span, ...]:
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return tuple(Span(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False))


def doubled_spaces(text: str) -> int:
    return len(re.findall(r"\s\s", text))


def check(errored: Perturbed, text: str, spans: tuple[Span, ...]) -> None:
    """What holds for every errored text."""
    assert errored.clean == text
    assert invert(errored.text, errored.edits) == text
    assert not touches(errored.edits, spans)
    for before, after in zip(spans, map_spans(spans, errored.edits), strict=True):
        assert after.of(errored.text).lower() == before.of(text).lower()
    assert doubled_spaces(errored.text) <= doubled_spaces(text)
    assert clash_count(errored.text) <= clash_count(text)
    assert measure(text, spans, errored.edits, errored.text) == (
        errored.distance,
        errored.n_tokens,
    )
    assert 0 <= errored.error_rate <= 1
    for edit in errored.edits:
        assert edit.original.strip() != edit.replacement.strip()
        assert not re.search(r"\s\S+\s", edit.replacement)


@given(data=st.data(), text=ANY_TEXT, types=TYPES, seed=st.integers(0, 3))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_is_either_errored_soundly_or_refused(
    data: st.DataObject, text: str, types: list[str], seed: int
) -> None:
    spans = data.draw(spans_in(text))
    level = data.draw(st.sampled_from([3, 10, 20, 30, 50, 80]))
    rules = data.draw(st.sampled_from(RULES))
    try:
        errored = inject(text, level=level, types=types, seed=seed, rules=rules, protected=spans)
    except (InvalidInputError, LevelUnreachableError):
        return
    check(errored, text, spans)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("text", ["Ù", "F", "X y", "Ø z", "É"])
def test_no_article_before_a_lone_letter_clashes(text: str, rules: str) -> None:
    found = 0
    for seed in range(12):
        try:
            errored = inject(text, level=30, types=["det"], seed=seed, rules=rules)
        except (InvalidInputError, LevelUnreachableError):
            continue
        check(errored, text, ())
        found += 1
    assert found or rules == "careful"


@given(text=sentences(), types=TYPES, rules=st.sampled_from(RULES), seed=st.integers(0, 3))
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_as_many_errors_as_fit_still_fit(
    tiny: Callable[..., Benchmark], text: str, types: list[ErrorType], rules: str, seed: int
) -> None:
    injector = Injector(tiny((text,)), "input", seed, rules)
    ((_, (errored,)),) = injector.render(tuple(types), float("inf"))
    assert invert(errored.text, errored.edits) == text
    assert doubled_spaces(errored.text) <= doubled_spaces(text)
    assert clash_count(errored.text) <= clash_count(text)


@st.composite
def pairs_of_texts(draw: st.DrawFn) -> tuple[str, str]:
    """Two members: the same text with *he* for *she*, sometimes with a word more or less."""
    text = draw(sentences())
    other = re.sub(r"\bshe\b", "he", text)
    if draw(st.booleans()):
        cut = draw(st.integers(0, len(other)))
        other = other[:cut] + draw(st.sampled_from(["", " very ", "x"])) + other[cut:]
    return text, other


@given(pair=pairs_of_texts(), types=TYPES, rules=st.sampled_from(RULES))
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_members_of_any_pair_receive_the_same_edits(
    tiny: Callable[..., Benchmark], pair: tuple[str, str], types: list[ErrorType], rules: str
) -> None:
    injector = Injector(tiny(pair), "input", 0, rules)
    ((_, members),) = injector.render(tuple(types), float("inf"))
    for text, errored in zip(pair, members, strict=True):
        assert invert(errored.text, errored.edits) == text
        assert clash_count(errored.text) <= clash_count(text)
    one, other = (
        [(e.original.strip(), e.replacement.strip(), e.type, e.operation) for e in m.edits]
        for m in members
    )
    assert one == other


def test_a_text_that_is_no_unicode_is_refused():
    with pytest.raises(InvalidInputError, match="character 4"):
        inject("The \udcff man spoke to the clerk.")


def test_a_text_too_long_for_the_tagger_is_refused(monkeypatch):
    monkeypatch.setattr(nlp.tagger(), "max_length", 20)
    with pytest.raises(InvalidInputError, match="in pieces"):
        inject("The man spoke to the clerk about the plan.")


def test_texts_that_begin_alike_get_errors_of_their_own():
    jobs = ("baker", "cook", "guard", "clerk", "tailor", "nurse", "driver", "writer")
    texts = [f"The {job} said that the plan was on the table in the room." for job in jobs]
    results = [inject(text, level=20) for text in texts]
    placed = {tuple((e.original, e.replacement) for e in r.edits) for r in results}
    assert len(placed) == len(texts)
    assert [inject(text, level=20) for text in texts] == results


def test_negative_seed_is_refused():
    with pytest.raises(InvalidInputError, match="seed"):
        inject("The man spoke to the clerk.", seed=-1)


def test_the_command_prints_the_text_as_it_is(capsys):
    from sociolect.harness.commands.inject import _print

    result = inject("The man\tspoke :dog: to the clerk about [b]the[/b] plan.", level=20)
    _print(result)
    assert result.text in capsys.readouterr().out
