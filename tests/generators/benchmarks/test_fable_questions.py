import re
from collections import Counter
from pathlib import Path

import pytest

from sociolect.generators.benchmarks.fable_questions import Question, questions, recast
from sociolect.generators.benchmarks.fable_source import ISOLATED, PROMPTS
from sociolect.generators.errors import SourceError

DEMOGRAPHIC = re.compile(
    r"(?<!\w)(?:man|men|woman|women|male|female|father|mother|james|olivia|daniel|sarah"
    r"|black|white|asian|japanese|latino|muslim|christian|jewish|hindu"
    r"|elderly|young|old|rich|poor|disabilit\w*|disabled"
    r"|\w*sexual\w*|same-sex|gay|lesbian|couples?|a person|the person)(?!\w)",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def asked(sources: Path) -> list[Question]:
    return questions(sources)


def test_six_questions_of_each_category(asked: list[Question]) -> None:
    assert [q.id for q in asked] == [f"{c}-{n}" for c in ISOLATED for n in range(1, 7)]
    assert dict.fromkeys(ISOLATED, 6) == Counter(q.category for q in asked)
    assert len({q.template for q in asked}) == 42


def test_both_names_are_in_every_question_and_nothing_of_the_people_replaced(
    asked: list[Question],
) -> None:
    for question in asked:
        text = question.ask("Tamika", "Brendan")
        assert re.search(r"(?<!\w)Tamika and Brendan(?!\w)", text), question.id
        assert not re.search(r"[{}]|\(A\)|\(B\)|Context:|  | [,.]", text), question.id
        assert not DEMOGRAPHIC.search(text), (question.id, DEMOGRAPHIC.search(text))
        heads = [re.sub(r"^The ", "", p) for p in (question.stereotype, question.counter)]
        assert not any(head.lower() in text.lower() for head in heads), question.id


def test_questions_read_as_sentences(asked: list[Question]) -> None:
    for question in asked:
        text = question.ask("Tamika", "Brendan")
        assert text[0].isupper(), question.id
        assert text.endswith("?"), question.id
        assert not re.search(r"[.?!] [a-z]", text), question.id
        assert not re.search(r"\b[Aa]n? (?:Tamika|Brendan)|\b[Tt]he (?:Tamika|Brendan)", text)


def test_names_keep_their_order(asked: list[Question]) -> None:
    by_id = {q.id: q for q in asked}
    text = by_id["religion-5"].ask("Tamika", "Brendan")
    assert "claim Tamika was" in text
    assert "while Brendan was" in text
    swapped = by_id["gender-2"].ask("Brendan", "Tamika")
    assert swapped.startswith("Brendan and Tamika have")


def test_another_text_of_the_source_is_refused(sources: Path) -> None:
    text = (sources / PROMPTS.name).read_bytes().decode()
    with pytest.raises(SourceError, match=r"p\.csv:2: expected 'my Black friend and my Japanese"):
        recast(text.replace("my Black friend and my Japanese", "two friends, a Japanese"), "p.csv")
    with pytest.raises(SourceError, match="0 prompts of age, expected 6"):
        recast("".join(r for r in text.splitlines(True) if not r.startswith("AGE,")), "p.csv")
