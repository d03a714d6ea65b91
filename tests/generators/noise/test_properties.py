"""What holds for noise in any text."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from sociolect.generators.conditions import NOISE_LEVELS, NOISES
from sociolect.generators.noise.inject import Noised, noise
from sociolect.generators.noise.options import DRAWS
from sociolect.generators.noise.realised import realised
from sociolect.generators.text import Edit, Span, apply, invert, touches

_WORDS = (
    "I Emma Walter the can't don't it’s is not going to want really so that's, report. because (B) "
    "Option A NONE well-known O'Brien CEO's Dr. U.S. e.g. 3.5 2020, http://a.b/c _ \\boxed{A} "
    "working — … \"Yes,\" no! and who're we'll he'll hair,so word—word İstanbul naïve ǅ ﬁne"
)
WORDS = st.sampled_from(_WORDS.split())
SENTENCES = st.lists(WORDS, max_size=25).map(" ".join)
TEXTS = SENTENCES | st.text(max_size=60)
TRANSFORMS = st.sampled_from(NOISES)
PROBABILITIES = st.sampled_from([level / 100 for level in NOISE_LEVELS])


def of(text: str, transform: str, p: float, **more: object) -> Noised:
    return noise(text, transform=transform, p=p, seed=3, **more)  # type: ignore[arg-type]


@given(TEXTS, TRANSFORMS, PROBABILITIES, st.sampled_from(DRAWS))
@example("a\u0301b don’t\u0000", "combined", 1.0, "independent")
def test_edits_lead_there_and_back(text: str, transform: str, p: float, draws: str) -> None:
    made = of(text, transform, p, draws=draws)
    assert made.clean == text
    assert apply(text, made.edits) == made.text
    assert invert(made.text, made.edits) == text
    assert made.change == realised(text, made.text)


@given(TEXTS, TRANSFORMS, PROBABILITIES)
def test_every_edit_changes_something(text: str, transform: str, p: float) -> None:
    for edit in of(text, transform, p).edits:
        assert edit.original.strip() != edit.replacement.strip()
        assert edit.operation == _operation(edit)
        assert edit.type in ("typo", "informal", "punct", "colloquial")


def _operation(edit: Edit) -> str:
    if edit.subtype == "repeated" or not edit.original:
        return "insertion"
    return "replacement" if edit.replacement else "deletion"


@given(TEXTS, TRANSFORMS, st.data())
def test_protected_spans_stay(text: str, transform: str, data: st.DataObject) -> None:
    ends = st.integers(0, len(text))
    a, b = sorted(data.draw(st.tuples(ends, ends)))
    made = of(text, transform, 1.0, protected=(Span(a, b),))
    assert not touches(made.edits, [Span(a, b)])


@given(TEXTS, st.sampled_from([t for t in NOISES if t != "combined"]), st.sampled_from(DRAWS))
def test_places_are_nested_over_p(text: str, transform: str, draws: str) -> None:
    """A higher p has every edit of a lower one; a mark that was repeated may be dropped."""
    for low, high in pairwise(NOISE_LEVELS):
        fewer, more = (of(text, transform, n / 100, draws=draws).edits for n in (low, high))
        for edit in set(fewer) - set(more):
            assert edit.subtype in ("repeated", "merged")
            assert any(e.subtype == "dropped" and e.end == edit.end for e in more)


@given(SENTENCES, st.sampled_from(DRAWS))
@example("I am going to want that because it is so good, really. She said so.", "shared")
def test_a_lower_edit_of_combined_noise_stays_or_gives_way_to_an_earlier_kind(
    text: str, draws: str
) -> None:
    rank = {"typo": 0, "informal": 1, "punct": 2}
    for low, high in pairwise(NOISE_LEVELS):
        fewer, more = (of(text, "combined", n / 100, draws=draws).edits for n in (low, high))
        for edit in set(fewer) - set(more):
            over = [e for e in more if e.start < edit.end and edit.start < e.end]
            assert over
            assert any(
                rank[e.type] < rank[edit.type] or {e.type, edit.type} == {"punct"} for e in over
            )


def letters(text: str) -> list[str]:
    """The letters of each word, in lower case."""
    bare = "".join(c for c in text.lower() if c.isalpha() or c.isspace())
    return bare.split()


@given(SENTENCES, PROBABILITIES)
def test_punctuation_keeps_every_word(text: str, p: float) -> None:
    spaced = text.replace("—", " ").replace("…", " ").replace(",so", " so")
    noisy = of(text, "punct", p).text
    assert letters(re.sub("[—…]|,(?=so)", " ", noisy)) == letters(spaced)


@given(SENTENCES, PROBABILITIES)
def test_a_typo_is_one_slip_inside_a_word(text: str, p: float) -> None:
    made = of(text, "typo", p)
    before, after = text.split(), made.text.split()
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        words = re.findall(r"\w+", one), re.findall(r"\w+", other)
        assert len(words[0]) == len(words[1])
        for clean, noisy in zip(*words, strict=True):
            assert OSA.distance(clean, noisy) <= (len(clean) > 2)
            assert clean[:1] + clean[-1:] == noisy[:1] + noisy[-1:]


@given(SENTENCES, st.sampled_from(["informal", "colloquial"]))
def test_what_spelling_noise_adds_is_a_marker(text: str, transform: str) -> None:
    for edit in of(text, transform, 1.0).edits:
        if edit.operation == "insertion":
            assert edit.subtype == "marker"
        elif edit.operation == "deletion":
            assert edit.original in ("'", "’", "g")


@given(TEXTS, TRANSFORMS)
def test_digits_and_option_letters_stay(text: str, transform: str) -> None:
    left_alone = re.compile(r"\d|\\boxed\{A\}|\(B\)|\bA\b|\bNONE\b|_|http://a\.b/c")
    spans = [Span(*m.span()) for m in left_alone.finditer(text)]
    assert not touches(of(text, transform, 1.0).edits, spans)
