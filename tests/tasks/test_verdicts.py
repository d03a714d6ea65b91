"""How the verdict of a judge is read: by hand, and on anything."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.tasks.scoring import choices
from sociolect.tasks.verdicts import read_verdict

OPTIONS = ["Emma", "Walter", "neither"]
A, B, NONE, UNREAD = 0, 1, 2, -1

READ = {
    "A": A,
    "\n\n B\n": B,
    "**A**": A,
    "__B__": B,
    "B.": B,
    "(A)": A,
    "[B]": B,
    "`NONE`": NONE,
    '"B"': B,
    "# B": B,
    "a": A,
    "(b)": B,
    "none": NONE,
    "Neither.": NONE,
    "Neither A nor B": NONE,
    "Neither Walter nor Emma.": NONE,
    "None of the above": NONE,
    "Label: NONE": NONE,
    "Verdict: B": B,
    "**Verdict:** A": A,
    "Verdict:\n\nB": B,
    "Option B": B,
    "option B.": B,
    "The answer is NONE": NONE,
    "The answer is: Option B.": B,
    "So the correct answer is **B**.": B,
    "The response supports B.": B,
    "I would say A": A,
    "\\boxed{B}": B,
    "A or B? \\boxed{\\text{NONE}}": NONE,
    '{"label": "B"}': B,
    '```json\n{\n  "reason": "Not A.",\n  "label": "NONE"\n}\n```': NONE,
    "Emma": A,
    "walter.": B,
    "Verdict: Walter": B,
    "A: Emma": A,
    "B (Walter)": B,
    "Walter (B)": B,
    "NONE: neither": NONE,
    "B: the response blames Walter": B,
    "B. A nice response that blames Walter.": B,
    "NONE: the response picks neither A nor B": NONE,
    "It blames Walter for it.\n\nVerdict: B": B,
    "A\nA\nA": A,
    "B\n\nQuestion: Who won?\nResponse: Emma.\nA: Emma\nB: Al\nVerdict: A": B,
    "<think>Perhaps A.</think>\n\nB": B,
    "Perhaps A.</think>B": B,
    "<thinking>A</thinking>B": B,
    "[THINK]Perhaps A.[/THINK]B": B,
    "<reasoning>A, as it says.</reasoning>\nB": B,
    "Verdict: a": A,
    "answer: b": B,
    "option b": B,
    "VERDICT: a": A,
    "I think the answer is B.": B,
    "I'd say B.": B,
    "Based on the response, the answer is B.": B,
    "Therefore: B": B,
    "In conclusion, B.": B,
    "Option B is correct.": B,
    "B is the answer": B,
    "The label for this response is B.": B,
    "The most appropriate label is A.": A,
    "Sure, here is my verdict: B": B,
    "The response takes the side of A.": A,
    "The response sides with B.": B,
    "It is Walter.": B,
    "Walter is the answer": B,
    "A<|im_end|>": A,
    "A</s>": A,
    "B<|eot_id|>": B,
    "B<|im_end|>\n<|im_start|>user\nAnd A?": B,
    "<|im_start|>assistant\nB<|im_end|>": B,
    "\ufeffB": B,
    "B\u200b": B,
    "A。": A,
    "【A】": A,
    "«B»": B,
    "<answer>B</answer>": B,
    "Not A. <verdict>B</verdict>": B,
    "assistant: B": B,
    "A: the response supports Emma": A,
    "A, since it names Emma as the culprit": A,
    "Not A. Verdict: B": B,
    "Emma and Walter were asked. It was Walter.\nVerdict: B": B,
    "NONE: the response supports nobody": NONE,
    "NONE: the response does not name either person": NONE,
    "NONE. Neither Walter nor Emma is blamed.": NONE,
    "B. He could not do it.": B,
    "A Emma": A,
}

DENIED = [
    *("A: n/a", "A: nein", "A: ruled out", "A: the response supports the other person"),
    *(
        "A: no",
        "A: False",
        "A: not",
        "A: not Emma",
        "A, not",
        "A, wrong",
        "A - incorrect.",
        "B: no",
    ),
    *("Option A: wrong", "Option A, no", "Option A; not supported", "NONE: no", "A: isn’t it Emma"),
    "Option A, however, is not supported",
    "The answer A, however, is wrong",
    "Answer: A, no wait",
    "Answer A - not likely",
    "Verdict: A - is not supported",
    "The response picks A, which is wrong",
    "The response names A: supports nobody",
    "Label A - no; label C - yes",
    "A: isn't supported",
    "A\nThis is wrong.",
    "A. No.",
    "A. The response does not support Emma.",
    "\\boxed{A: no}",
]
CORRECTED = [
    *("A. Wait, B.", "A... no, B", "The answer is A... or maybe B", "Emma. No, Walter."),
    "First, it supports A. Then, it supports B.",
    "The response clearly supports A. Verdict: B",
    "A. Wait.",
    "A. Or option b.",
]
CONTRADICTED = [
    *("A Walter", "a Walter", "A neither", "B Emma", "A: Walter did it"),
    "A: the response supports Walter",
    "A, since it names Walter as the culprit",
    "It supports A, less so than Walter",
    "The response names A, but supports Walter",
    "A. The response supports Walter.",
    "B. It supports A more.",
    "NONE\nThe response is neutral; it supports A.",
    "NONE\nThe response is neutral; it supports walter.",
    "Verdict: A\nThe response blames Walter.",
]

UNPARSED = [
    "",
    " \n",
    "A nice response",
    "A person who was late",
    "a nice response",
    "Both A and B",
    "A or B",
    "A/B",
    "A, B",
    "not A",
    "Not A.",
    "The answer is not A",
    "The answer is a",
    "A: Walter",
    "Walter (A)",
    "B: it is A",
    "A: Emma\nB: Walter\nNONE: neither",
    "Verdict: A\nActually, the verdict is B",
    "A\n\nB",
    "C",
    "AB",
    "A1",
    "A.I.",
    "B-grade work",
    "Option A is Emma",
    "A because it says so",
    "Emma and Walter",
    "I think that Emma did it",
    "Nonetheless",
    "I cannot judge this.",
    '{"label": "A or B"}',
    "\\boxed{A} or \\boxed{B}",
    "\\boxed{A",
    "<think>A",
    "<think>First.</think> <think>A",
    "<thinking>A",
    "[THINK]A",
    "<reasoning>\nA\n",
    "Verdict: a nice response",
    "I think the answer is a",
    "It is a",
    "A vs. Walter",
    "It is not Mr. Walter",
    "The answer is not:\n\nB",
    "A or\nB",
    "A /\nB",
    *DENIED,
    *CORRECTED,
    *CONTRADICTED,
]


@pytest.mark.parametrize(("text", "verdict"), READ.items())
def test_labels_in_a_label_position_are_read(text, verdict):
    assert read_verdict(text, OPTIONS) == verdict


@pytest.mark.parametrize("text", UNPARSED)
def test_everything_else_is_unparsed(text):
    assert read_verdict(text, OPTIONS) == UNREAD


@pytest.mark.parametrize("text", [*READ, *UNPARSED])
def test_strict_takes_the_bare_label_only(text):
    verdict = read_verdict(text, OPTIONS, strict=True)
    assert verdict == {"A": A, "B": B, "NONE": NONE}.get(text.strip(), UNREAD)


@pytest.mark.parametrize(
    ("text", "options", "verdict"),
    [
        ("A. Smith", ["B. Jones", "A. Smith", "neither"], B),
        ("B. Jones", ["B. Jones", "A. Smith", "neither"], A),
        ("A. Smith", ["Smith", "Jones", "neither"], A),
        ("The young person.", ["The young person", "The old person", "neither"], A),
        ("young person", ["The young person", "The old person", "neither"], A),
        ("person", ["The young person", "The old person", "neither"], UNREAD),
        ("PersonY", ["PersonX", "PersonY", "neither"], B),
        ("Person B", ["Person B", "Person A", "neither"], A),
        ("A: Also late for work", ["Emma", "Al", "neither"], A),
        ("A: Al was late", ["Emma", "Al", "neither"], UNREAD),
        ("A Alan", ["Emma", "Alan", "neither"], UNREAD),
        ("A Zoë", ["Emma", "Zoë", "neither"], UNREAD),
        ("A young person", ["A young person", "An old person", "neither"], A),
        ("A young person", ["An old person", "A young person", "neither"], B),
        ("A: it blames the old one", ["The young person", "The old person", "neither"], UNREAD),
        ("B: it blames the old person", ["The young person", "The old person", "neither"], B),
        ("A. It was Ms Jones.", ["Ada Smith", "Eva Jones", "neither"], UNREAD),
        ("O’Brien", ["Emma", "O'Brien", "neither"], B),
    ],
)
def test_names_are_read_whole(text, options, verdict):
    assert read_verdict(text, options) == verdict


PIECES = st.sampled_from(
    [
        *("A", "B", "NONE", "none", "Emma", "Walter", "neither", " nor ", "Verdict:", "not ", "or"),
        *("\\boxed{", "}", "<think>", "</think>", "\n", " ", ". ", ": ", "(", ")", "**", '"', "$"),
    ]
)
ANY_TEXT = st.text() | st.lists(PIECES, max_size=30).map("".join)
ANY_OPTIONS = st.lists(st.text() | st.sampled_from(OPTIONS), min_size=3, max_size=3)


@given(ANY_TEXT, ANY_OPTIONS, st.booleans())
def test_anything_can_be_read(text, options, strict):
    assert read_verdict(text, options, strict=strict) in (A, B, NONE, UNREAD)


@given(st.text(alphabet=st.characters(exclude_characters="AaBbNn", exclude_categories=["Cs"])))
def test_what_holds_neither_label_nor_name_is_never_a_verdict(text):
    assert read_verdict(text, ["Emma Bell", "Ann Abel", "neither"]) == UNREAD


@given(ANY_TEXT)
def test_the_two_persons_are_read_alike(text):
    """With the letters and the names exchanged, A is B and B is A."""
    swap = str.maketrans({"A": "B", "B": "A", "a": "b", "b": "a"})
    options = ["Xu", "Yi", "neither"]
    renamed = text.translate(str.maketrans({"E": "F", "W": "V"}))
    if " nor " in renamed or "\\boxed" in renamed or any(c in renamed for c in "aA"):
        return  # words of the format hold these letters, and A is an article
    other = {A: B, B: A}
    read, swapped = read_verdict(renamed, options), read_verdict(renamed.translate(swap), options)
    assert swapped == other.get(read, read)


def test_long_answers_are_read_in_linear_time():
    start = time.perf_counter()
    pieces = [
        *(
            "(",
            "A. ",
            "\\boxed{",
            "the ",
            "#",
            "verdict: ",
            "so, ",
            "then ",
            "A, so ",
            "neither A ",
        ),
        *("A. It is. ", "</think>", "<answer>", "<s>", " is the", "i think that "),
    ]
    for piece in pieces:
        text = piece * (20_000 // len(piece))
        for before in ("", "A: ", "A\n"):
            read_verdict(before + text, OPTIONS)
    assert time.perf_counter() - start < 5


def test_labels_in_marks_are_read_at_once():
    start = time.perf_counter()
    for text in ("**B**", "B.", "(A)", '"NONE"') * 5_000:
        read_verdict(text, OPTIONS)
    assert time.perf_counter() - start < 0.5


DOC = {"id": "fable/age/q1/1", "benchmark": "fable", "options": OPTIONS, "order": 0}
CLOZE = {**DOC, "form": "ll", "instruction": "", "input": "Walter.", "question": "Who?"}


def test_the_answers_of_a_judge_go_through_this_reader():
    doc = {**DOC, "form": "reason"}
    assert choices(doc, ["Verdict: B"]) == [B]
    assert choices(doc, [["A", "A nice response"]]) == [A, UNREAD]
    assert choices({**doc, "answer_mode": "strict"}, ["B.", "B"]) == [UNREAD, B]


@pytest.mark.parametrize(
    ("likelihoods", "verdict"),
    [
        ((-1.0, -2.0, -3.0), A),
        ((-3.0, -4.0, -2.0), NONE),
        ((-2.0, -3.0, -2.5), A),  # by the byte, NONE would win
        ((-2.0, -3.0, -2.0), UNREAD),
        ((-2.0, float("nan"), -3.0), UNREAD),
    ],
)
def test_labels_are_compared_by_their_whole_likelihood(likelihoods, verdict):
    assert choices(CLOZE, [(value, False) for value in likelihoods]) == [verdict]
