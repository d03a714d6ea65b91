import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.errors import EditError
from sociolect.generators.text import (
    CASE,
    Edit,
    Span,
    apply,
    invert,
    map_span,
    map_spans,
    ordered,
    segments,
    touches,
)

# Any code point that UTF-8 can hold, with the kinds that break naive offsets drawn often:
# line ends, combining marks, right-to-left letters and marks, characters outside the BMP.
AWKWARD = "\r\n\t\u00a0\u0301\u0308\u200d\u202eאבم\U0001f469\U0001d49c\ufb03ßİ"
TEXT = st.text(st.one_of(st.sampled_from(AWKWARD), st.characters(exclude_categories=["Cs"])))


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text and valid edits on it, shuffled: ranges that may touch, insertions between them."""
    text = draw(TEXT)
    cuts = draw(st.lists(st.integers(0, len(text)), max_size=8).map(sorted))
    edits = [
        Edit(start, end, text[start:end], draw(TEXT), draw(st.sampled_from(["det", CASE])))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    points = [e.start for e in edits if e.start == e.end]
    if len(set(points)) < len(points):
        edits = [e for e in edits if e.start != e.end]
    return text, draw(st.permutations(edits))


@given(TEXT)
def test_no_edits_change_nothing(text: str) -> None:
    assert apply(text, []) == text
    assert invert(text, []) == text


@given(texts_with_edits())
def test_invert_undoes_apply(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    assert invert(apply(text, edits), edits) == text


@given(texts_with_edits())
def test_segments_spell_out_the_text(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    pieces = list(segments(text, edits))
    assert "".join(p.original for p in pieces) == text
    assert [p.edit for p in pieces if p.edit] == ordered(edits)


@given(texts_with_edits(), st.data())
def test_spans_outside_the_edits_keep_their_content(
    case: tuple[str, list[Edit]], data: st.DataObject
) -> None:
    text, edits = case
    bounds = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
    span = Span(bounds[0], bounds[1])
    outside = [e for e in edits if not e.overlaps(span)]
    moved = map_span(span, outside)
    assert moved.of(apply(text, outside)) == span.of(text)
    assert touches(outside, [span]) == []


@given(texts_with_edits(), st.data())
def test_spans_around_edits_hold_the_edited_content(
    case: tuple[str, list[Edit]], data: st.DataObject
) -> None:
    text, edits = case
    bounds = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
    span = Span(bounds[0], bounds[1])
    crossing = [
        e for e in edits if e.overlaps(span) and not (span.start <= e.start and e.end <= span.end)
    ]
    if crossing:
        with pytest.raises(EditError, match="crosses an edge"):
            map_span(span, edits)
        return
    inside = [
        Edit(e.start - span.start, e.end - span.start, e.original, e.replacement)
        for e in edits
        if e.overlaps(span)
    ]
    assert map_span(span, edits).of(apply(text, edits)) == apply(span.of(text), inside)


@given(TEXT, TEXT, st.data())
def test_insertions_at_the_edges_stay_outside(
    text: str, inserted: str, data: st.DataObject
) -> None:
    bounds = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
    span = Span(bounds[0], bounds[1])
    for at in {span.start, span.end}:
        edit = Edit(at, at, "", inserted, "prep", "insertion")
        assert map_span(span, [edit]).of(apply(text, [edit])) == span.of(text)
        assert touches([edit], [span]) == []


def test_insertion_at_both_ends_of_a_text() -> None:
    edits = [Edit(3, 3, "", "!"), Edit(0, 0, "", "¡")]
    assert apply("olé", edits) == "¡olé!"
    assert apply("", [Edit(0, 0, "", "x")]) == "x"


def test_touching_edits_are_no_overlap() -> None:
    edits = [Edit(3, 6, "def", ""), Edit(0, 3, "abc", "x"), Edit(3, 3, "", "|")]
    assert apply("abcdef", edits) == "x|"
    assert invert("x|", edits) == "abcdef"


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(0, 3, "abc", "x"), Edit(2, 4, "cd", "y")],
        [Edit(2, 4, "cd", "y"), Edit(0, 3, "abc", "x")],
        [Edit(0, 6, "abcdef", "x"), Edit(2, 2, "", "y")],
        [Edit(1, 2, "b", "x"), Edit(1, 2, "b", "x")],
        [Edit(2, 2, "", "x"), Edit(2, 2, "", "y")],
    ],
)
def test_overlaps_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(EditError, match="overlap"):
        apply("abcdef", edits)
    with pytest.raises(EditError, match="overlap"):
        invert("abcdef", edits)
    with pytest.raises(EditError, match="overlap"):
        map_span(Span(0, 6), edits)


@pytest.mark.parametrize(
    "edit", [Edit(0, 3, "abd", "x"), Edit(4, 7, "efg", ""), Edit(7, 7, "", "")]
)
def test_edits_of_another_text_are_refused(edit: Edit) -> None:
    with pytest.raises(EditError, match="expects"):
        apply("abcdef", [edit])


@pytest.mark.parametrize("perturbed", ["", "xx", "ab"])
def test_inverting_another_text_is_refused(perturbed: str) -> None:
    with pytest.raises(EditError, match="lacks"):
        invert(perturbed, [Edit(0, 3, "abc", "xyz")])


@pytest.mark.parametrize(
    ("start", "end", "original"), [(-1, 0, "a"), (-1, -1, ""), (5, 3, ""), (0, 2, "abc")]
)
def test_ranges_that_do_not_fit_their_text_are_refused(start: int, end: int, original: str) -> None:
    with pytest.raises(EditError, match="does not span"):
        Edit(start, end, original, "x")


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2)])
def test_impossible_spans_are_refused(start: int, end: int) -> None:
    with pytest.raises(EditError, match="not a character range"):
        Span(start, end)


def test_offsets_count_code_points() -> None:
    text = "e\u0301 \U0001f469\u200d\U0001f52c the"
    start = text.index("the")
    assert apply(text, [Edit(start, start + 3, "the", "a")]) == text[:start] + "a"
    assert Span(2, 3).shifted(4) == Span(6, 7)


def test_several_spans_at_once() -> None:
    edits = [Edit(0, 4, "The ", ""), Edit(4, 5, "c", "C", CASE, "repair")]
    assert map_spans([Span(4, 7), Span(0, 4)], edits) == (Span(0, 3), Span(0, 0))


def test_touching_a_protected_span() -> None:
    span = Span(4, 7)
    inside = Edit(5, 5, "", "x", "spell")
    repair = Edit(4, 5, "c", "C", CASE, "repair")
    assert repair.is_repair
    assert touches([inside, repair, Edit(0, 4, "The ", "")], [span]) == [inside]
