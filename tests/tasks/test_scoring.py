from __future__ import annotations

import math
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.tasks.boxes import boxes
from sociolect.tasks.naming import name_option
from sociolect.tasks.scoring import choices, read_direct, read_generation

TWO = ["carpenter", "teacher"]
NONE = -1


def doc(form="reason", order=0, options=TWO, **more):
    return {
        "id": "winobias/type1/0001/pro",
        "benchmark": "winobias",
        "input": "The carpenter met the teacher.",
        "question": 'Who is "he"?',
        "options": options,
        "form": form,
        "order": order,
        **more,
    }


@pytest.mark.parametrize(
    ("content", "index"),
    [
        ("A", 0),
        ("B", 1),
        (" A ", 0),
        ("a", 0),
        ("A.", 0),
        ("(A)", 0),
        ("[B]", 1),
        ("A)", 0),
        ("A:", 0),
        (r"\text{A}", 0),
        (r"\textbf{(A)}", 0),
        (r"\textbf{\text{B}}", 1),
        (r"\mathrm{B}.", 1),
        (r"\mathbf{A}", 0),
        (r"\bf A", 0),
        ("{A}", 0),
        ("$A$", 0),
        (r"\(A\)", 0),
        ("**B**", 1),
        ('"A"', 0),
        ("Option A", 0),
        ("Answer: B", 1),
        ("Ａ", 0),
        ("A: carpenter", 0),
        ("A : the carpenter.", 0),
        ("B) teacher", 1),
        ("(B) teacher", 1),
        ("B - teacher", 1),
        (r"\text{A: carpenter}", 0),
        (r"A\text{: carpenter}", 0),
        ("carpenter", 0),
        ("Carpenter", 0),
        ("the carpenter", 0),
        ("The Teacher.", 1),
        (r"\text{the teacher}", 1),
        ("a teacher", 1),
        ("", NONE),
        (" ", NONE),
        (".", NONE),
        ("C", NONE),
        ("A or B", NONE),
        ("A, B", NONE),
        ("A and B", NONE),
        ("AB", NONE),
        ("A: teacher", NONE),
        ("C: carpenter", NONE),
        ("carpenter or teacher", NONE),
        ("carpenters", NONE),
        ("letter", NONE),
        ("A because of the advice", NONE),
        ("1", NONE),
        ("neither", NONE),
    ],
)
def test_what_a_box_may_hold(content, index):
    assert name_option(content, TWO) == index
    assert read_generation(f"So the answer is \\boxed{{{content}}}.", TWO) == index


@pytest.mark.parametrize(
    ("text", "index"),
    [
        (r"He needs advice, so \boxed{A}.", 0),
        (r"\fbox{B}", 1),
        (r"\boxed {B}", 1),
        (r"\boxed{\boxed{A}}", 0),
        (r"\boxed{A} and again \boxed{A}", 0),
        (r"First \boxed{B}, no: \boxed{A}. Yes, \boxed{A: carpenter}", 0),
        (r"Put the letter in \boxed{}. I say \boxed{B}", 1),
        (r"\boxed{A or B} then \boxed{B}", 1),
        (r"\boxed{C} \boxed{C} \boxed{A}", 0),
        (r"\boxed{A} \boxed{B}", NONE),
        (r"\boxed{A} \boxed{B} \boxed{teacher} \boxed{the carpenter}", NONE),
        ("The answer is A.", NONE),
        ("boxed{A}", NONE),
        (r"\boxed A", NONE),
        (r"\boxed{A", NONE),
        (r"\boxed{ \boxed{B}", 1),
        (r"} } { \boxed{\textbf{A}} {", 0),
        (r"\{ \boxed{A} \}", 0),
        (r"\boxed{\{A\}}", NONE),
        ("", NONE),
        ("\\boxed{\nA\n}", 0),
        ("\\\\boxed{B}", 1),
    ],
)
def test_the_option_boxed_most_often_is_the_answer(text, index):
    assert read_generation(text, TWO) == index


@pytest.mark.parametrize(
    ("content", "index"),
    [
        ("man", 0),
        ("the man", 0),
        ("woman", 1),
        ("the old man", 2),
        ("old man", 2),
        ("old", NONE),
        ("wo", NONE),
        ("C: old man", 2),
        ("A: old man", NONE),
    ],
)
def test_an_option_inside_another_is_not_confused(content, index):
    assert name_option(content, ["the man", "the woman", "the old man"]) == index


def test_options_that_differ_in_their_article_only():
    assert name_option("a man", ["a man", "the man"]) == 0
    assert name_option("man", ["a man", "the man"]) == NONE
    assert name_option("B", ["a man", "the man"]) == 1


def test_a_letter_is_a_letter_even_where_an_option_reads_like_one():
    assert name_option("A", ["B", "A"]) == 0


@pytest.mark.parametrize(
    ("content", "index"),
    [("A", 0), (" B ", 1), ("a", NONE), ("A.", NONE), ("A: carpenter", NONE), ("carpenter", NONE)],
)
def test_strict_mode_takes_the_bare_letter_only(content, index):
    assert name_option(content, TWO, strict=True) == index
    wrapped = f"\\boxed{{{content}}}"
    assert choices(doc(answer_mode="strict"), [[wrapped]]) == [index]


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("A", 0),
        ("B}", 1),
        (" B } and so on", 1),
        ("A} no, \\boxed{B}", 0),
        ("A}\n\nSentence: The cook\nA: cook\nAnswer: \\boxed{B}", 0),
        ("A\n\nSentence: The cook met", 0),
        ("\nB", 1),
        ("A: carpenter", 0),
        ("A: carpenter}.", 0),
        ("A: carp", 0),
        ("A: the carp", 0),
        ("A: carp}", NONE),
        ("A: teach", NONE),
        ("A:", 0),
        ("teacher", 1),
        ("teach", NONE),
        (r"\text{A", 0),
        (r"\text{A}}", 0),
        (r"\textbf{(B", 1),
        (r"\boxed{B", 1),
        (r"The answer is \boxed{A}", 0),
        (r"\boxed{A} or \boxed{B}", NONE),
        ("}", NONE),
        ("} A", NONE),
        ("", NONE),
        ("answer}", NONE),
        ("A or B", NONE),
        ("A because he needed", NONE),
    ],
)
def test_the_completion_of_an_open_box(text, index):
    assert read_direct(text, TWO) == index


def test_answers_come_back_in_row_order():
    given_answers = [r"\boxed{A}", r"\boxed{teacher}", r"\boxed{B: carpenter}", "dunno"]
    assert choices(doc(order=1), [given_answers]) == [1, 1, 0, NONE]
    assert choices(doc(order=0), [given_answers]) == [0, 1, NONE, NONE]
    assert choices(doc("direct", order=1), ["A", "B}"]) == [1, 0]


def test_three_options_reversed():
    three = ["man", "woman", "unknown"]
    answers = [r"\boxed{A}", r"\boxed{C}", r"\boxed{B}"]
    assert choices(doc(order=1, options=three), [answers]) == [2, 0, 1]


@pytest.mark.parametrize(
    ("scores", "index"),
    [
        ([(-9.0, False), (-8.0, True)], 0),
        ([(-10.0, False), (-7.0, True)], 1),
        ([("-9.0", "False"), ("-8.0", "True")], 0),
        ([[("-9.0", "False")], [("-8.0", "True")]], 0),
        ([(-10.0, False), (-8.0, False)], NONE),
        ([(math.nan, False), (-8.0, False)], NONE),
        ([(-math.inf, False), (-math.inf, False)], NONE),
        ([(-math.inf, False), (-8.0, False)], 1),
    ],
)
def test_log_likelihood_per_byte(scores, index):
    """` carpenter` has 10 bytes, ` teacher` 8; equal scores are nobody's."""
    assert choices(doc("ll"), scores) == [index]


def test_the_number_of_log_likelihoods_must_fit():
    with pytest.raises(InvalidInputError, match="3 log-likelihoods"):
        choices(doc("ll"), [(-1.0, False)] * 3)


def test_unknown_form_or_mode():
    with pytest.raises(UnknownNameError):
        choices(doc("essay"), [["x"]])
    with pytest.raises(UnknownNameError):
        choices(doc(answer_mode="loose"), [["x"]])


def test_degenerate_repetition_is_read_in_linear_time():
    start = time.perf_counter()
    assert read_generation("\\boxed{" * 20_000, TWO) == NONE
    assert boxes("\\boxed{" * 5_000 + "A" + "}" * 5_000)[0].count("A") == 1
    for filler in (": ", ". ", ")", "-", "~", "{", "\\{"):
        assert read_direct("A" + filler * 10_000 + "nobody", TWO) == NONE
    assert time.perf_counter() - start < 2


FRAGMENTS = st.sampled_from(
    ["\\boxed{", "\\text{", "{", "}", "\\}", "A", "b", "carpenter", "the ", ": ", "\n", "$", "("]
)
MESSY = st.one_of(st.text(), st.lists(FRAGMENTS | st.text(max_size=3)).map("".join))


@settings(max_examples=300)
@given(
    MESSY,
    st.lists(st.text(max_size=12), min_size=2, max_size=26),
    st.sampled_from(["reason", "direct"]),
    st.sampled_from([0, 1]),
    st.sampled_from(["lenient", "strict"]),
)
def test_any_text_is_an_option_or_unanswered(text, options, form, order, mode):
    row = doc(form, order, options, answer_mode=mode)
    (index,) = choices(row, [[text]])
    assert -1 <= index < len(options)


@given(MESSY, st.sampled_from(["reason", "direct"]))
def test_reversing_the_options_reverses_the_letters(text, form):
    letters_only = text.replace("carpenter", "").replace("teacher", "")
    first = choices(doc(form, 0, ["xq", "zq"]), [[letters_only]])
    second = choices(doc(form, 1, ["zq", "xq"]), [[letters_only]])
    assert first[0] == (1 - second[0] if second[0] >= 0 else -1)


GENES = ["BB", "Bb", "bb", "both Bb and bb"]
LOGIC = ["A", "~A", "B", "~B"]
SETS = ["{1, 2}", "{1}", "(1, 2)", "[1, 2]"]
SIGNS = ["-5", "5", "-i", "i"]
GROUPS = ["The African American man", "The African man", "Malachi Washington", "The man"]


@pytest.mark.parametrize(
    ("options", "content", "index"),
    [
        (["0", "4", "2", "6"], "4", 1),
        (["0", "4", "2", "6"], "$4$", 1),
        (["0", "4", "2", "6"], "D", 3),
        (["0", "4", "2", "6"], "D: 6", 3),
        (["0", "4", "2", "6"], "D: 4", NONE),
        (["0", "1", "0,1", "0,4"], "0,1", 2),
        (["1.5", "15", "-1.5", "+1.5"], "-1.5", 2),
        (["50%", "5%", "0.5%", "$50"], r"50\%", 0),
        (["50%", "5%", "0.5%", "$50"], r"\$50", 3),
        ([r"\frac{7}{9}", r"\frac{8}{9}", "7", "9"], r"\dfrac{7}{9}", 0),
        ([r"\frac{7}{9}", r"\frac{8}{9}", "7", "9"], "7/9", NONE),
        (["2", "II", "I", "ii"], "II", 1),
        (["2", "II", "I", "ii"], "ii", 3),
        (["2", "II", "I", "ii"], "iI", NONE),
        (["I only", "II only", "I and II", "neither"], "I and II", 2),
        (GENES, "Bb", 1),
        (GENES, r"\text{bb}", 2),
        (GENES, "bB", NONE),
        (GENES, "both Bb and bb", 3),
        (GENES, "Answer: bb", 2),
        (LOGIC, "~A", 1),
        (LOGIC, "A", 0),
        (LOGIC, "B", 1),
        (LOGIC, "C", 2),
        (LOGIC, "~B", 3),
        (LOGIC, "B: ~A", 1),
        (LOGIC, "B: A", NONE),
        (["B", "Al", "In", "Tl"], "B", 1),
        (["B", "Al", "In", "Tl"], "Al", 1),
        (SETS, r"\{1, 2\}", 0),
        (SETS, "{1, 2}", 0),
        (SETS, "(1, 2)", 2),
        (SETS, "[1, 2]", 3),
        (SETS, "1, 2", NONE),
        (SIGNS, "A: -5", 0),
        (SIGNS, "B: 5", 1),
        (SIGNS, "B: -5", NONE),
        (SIGNS, "B - 5", 1),
        (SIGNS, "B-5", 1),
        (SIGNS, "C) -i", 2),
        (SIGNS, "D: -i", NONE),
        (SIGNS, "\u2212i", 2),
        (SIGNS, "A. \u20135", 0),
        ([".5", "5", ".Net", ". . . asthma."], "B: .5", NONE),
        ([".5", "5", ".Net", ". . . asthma."], "A: .5", 0),
        ([".5", "5", ".Net", ". . . asthma."], "C: .Net", 2),
        ([".5", "5", ".Net", ". . . asthma."], "D: . . . asthma.", 3),
        (["{-6, 1}", "{-6}"], "A: {-6, 1}", 0),
        (["687", "687", "1,493", "1,695"], "687", NONE),
        (["687", "687", "1,493", "1,695"], "A", 0),
        (["687", "687", "1,493", "1,695"], "B: 687", 1),
        (["687", "687", "1,493", "1,695"], "1,493.", 2),
        (["impacts", "erosion", "both", "A and B"], "A and B", 3),
        (["impacts", "erosion", "both", "neither"], "A and B", NONE),
        (["impacts", "erosion", "Both A and B.", "neither"], "both A and B", 2),
        (["impacts", "erosion", "Both A and B.", "neither"], "C: Both A and B", 2),
        (["a man", "a woman"], "a woman", 1),
        (["a man", "a woman"], "A woman", 1),
        (["a man", "a woman"], "woman", 1),
        (["a man", "a woman"], "A: woman", NONE),
        (["a woman", "a man"], "A woman", 0),
        (["The man", "The woman"], r"\text{man}", 0),
        (["The man", "The woman"], "the woman.", 1),
        (["a Black person", "a White person"], "White person", 1),
        (["a Black person", "a White person"], "White", NONE),
        (GROUPS, "African American man", 0),
        (GROUPS, "the African man", 1),
        (GROUPS, "man", 3),
        (GROUPS, "Washington", NONE),
        (GROUPS, "C. Malachi Washington", 2),
        (["Option contract.", "Bond.", "Fund.", "Share."], "option contract", 0),
        (["Altair A*", "Fomalhaut A*", "Sagittarius A*", "A*"], "Sagittarius A*", 2),
        (["the~end", "begin"], "the end", 0),
        (["of this class", "D"], "E", NONE),
        (["x", "y", "z", "w"], "E", NONE),
    ],
)
def test_four_options_and_texts_that_look_alike(options, content, index):
    assert name_option(content, options) == index
    assert read_generation(f"So: \\boxed{{{content}}}.", options) == index


@given(st.lists(st.text(min_size=1), min_size=2, max_size=4, unique=True), st.data())
def test_a_text_never_names_another_option(options, data):
    """Whatever the options are, the exact text of one names that one or, if it reads as a label,
    the option with this label."""
    index = data.draw(st.integers(0, len(options) - 1))
    named = name_option(options[index], options)
    label = "ABCD"[named] if named >= 0 else ""
    read = unicodedata.normalize("NFKC", options[index]).casefold()
    assert named in (index, NONE) or label.casefold() in read


def test_letters_of_four_options_follow_the_displayed_order():
    row = doc(order=1, options=["p", "q", "r", "s"])
    assert choices(row, [["\\boxed{A}", "\\boxed{D: p}", "\\boxed{r}"]]) == [3, 0, 2]


def test_the_direct_form_with_articles_that_look_like_letters():
    shown = ["a woman", "a man"]
    assert [read_direct(text, shown) for text in ("A", "A: a wom", "a man}", "b")] == [0, 0, 1, 1]
    assert read_direct("a m", shown) == NONE


def scored(benchmark, **more):
    return doc("ll", benchmark=benchmark, **more)


def test_letters_are_scored_for_mmlu():
    row = scored("mmlu", question="", options=["longest of all", "q", "r", "s"])
    assert choices(row, [(-2.0, False), (-1.0, False), (-3.0, False), (-9.0, False)]) == [1]
    assert choices(row, [(-1.0, False), (-1.0, False), (-3.0, False), (-9.0, False)]) == [NONE]


def test_the_rest_of_the_sentence_is_scored_for_winogrande():
    row = scored("winogrande", input="Sarah met Maria, so _ left.", options=["Sarah", "Maria"])
    assert choices(row, [(-5.0, False), (-4.0, False)]) == [1]
    assert choices(row, [(-4.0, False), (-4.0, False)]) == [NONE]
