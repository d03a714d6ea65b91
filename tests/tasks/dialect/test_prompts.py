from __future__ import annotations

import pytest

from sociolect.tasks.dialect import prompts
from sociolect.tasks.dialect.catalogue import TASKS, dialect_task
from sociolect.tasks.dialect.documents import documents
from sociolect.tasks.dialect.prompts import EQUIVALENCE

AAE = "We was finna leave in the rain but it ain't stop none"
SAE = "We were about to leave in the rain but it did not stop at all"


def docs(task):
    return list(documents(dialect_task(task))["test"])


def test_sentiment_quotes_each_version_on_lines_of_its_own(three):
    aae, sae, back = docs("aae_sentiment")[:3]
    assert f'\n"""\n{AAE}\n"""\n' in prompts.prompt(aae)
    assert f'\n"""\n{SAE}\n"""\n' in prompts.prompt(sae)
    assert f'\n"""\n{back["aae_back"]}\n"""\n' in prompts.prompt(back)
    assert prompts.prompt(aae).replace(AAE, SAE) == prompts.prompt(sae)
    assert prompts.prompt(aae).endswith("\nSentiment:")


def test_scored_sentiment_is_the_same_question(three):
    written, scored = docs("aae_sentiment")[0], docs("aae_sentiment_ll")[0]
    assert prompts.prompt(written) == prompts.prompt(scored)
    assert prompts.scored(scored) == [" negative", " neutral", " positive"]
    assert prompts.requests(written) == [prompts.prompt(written)]
    assert [r.removeprefix(prompts.prompt(scored)) for r in prompts.requests(scored)] == (
        prompts.scored(scored)
    )


def test_a_continuation_follows_its_context_and_nothing_else(three):
    aae, sae = docs("aae_continuation")[:2]
    assert prompts.requests(aae) == [
        AAE,
        "We was finna leave in the rain but it did not stop at all",
    ]
    assert prompts.requests(sae) == [
        "We were about to leave in the rain but it ain't stop none",
        SAE,
    ]
    for doc in (aae, sae):
        assert not prompts.prompt(doc)[-1].isspace()
        assert all(text[0] == " " for text in prompts.scored(doc))


def test_choices_show_the_same_texts_in_both_orders(three):
    aae_first, sae_first = (prompts.prompt(doc) for doc in docs("aae_choice_best")[:2])
    assert "like this:\nWe was finna leave in the rain\n" in aae_first
    assert "\nA. but it ain't stop none\nB. but it did not stop at all\n" in aae_first
    assert "\nA. but it did not stop at all\nB. but it ain't stop none\n" in sae_first
    assert prompts.scored(docs("aae_choice_best")[0]) == [" A", " B"]
    assert prompts.options(docs("aae_choice_best")[0]) == ["A", "B"]


def test_wordings_differ_in_one_phrase(three):
    asked = {w: prompts.prompt(docs(f"aae_choice_{w}")[0]) for w in ("best", "likely", "stylistic")}
    plain = asked["best"].replace("the best", "the X")
    assert asked["likely"].replace("the most likely", "the X") == plain
    assert asked["stylistic"].replace("the most stylistically consistent", "the X") == plain


def test_nothing_is_said_of_varieties_unless_it_is_prompted(three):
    for task in TASKS:
        text = prompts.prompt(docs(task.task)[0])
        assert text.startswith(f"{EQUIVALENCE}\n\n") == task.prompted
        said = text.removeprefix(EQUIVALENCE).lower()
        named = [word for word in ("dialect", "english", "aae", "tone", "correct") if word in said]
        assert named == []


@pytest.mark.parametrize("task", [task for task in TASKS if task.prompted])
def test_the_instruction_stands_before_the_same_prompt(three, task):
    prompted = prompts.requests(docs(task.task)[0])
    plain = prompts.requests(docs(task.task.removesuffix("_prompted"))[0])
    assert prompted == [f"{EQUIVALENCE}\n\n{text}" for text in plain]
