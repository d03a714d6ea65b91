from __future__ import annotations

from typing import Any

import fable_writer
import pytest
from fable_writer import FableLM, good

from sociolect.generators.errors import ModelError
from sociolect.harness.fable.asking import Asker
from sociolect.harness.fable.rounds import REASONS, Rounds, Written
from sociolect.harness.fable.settings import Settings
from sociolect.harness.fable.stance import Checker, checker_form, judge_document

PLAN = fable_writer.plan()


def written(model: FableLM, form: str = "ll", **settings: Any) -> Written:
    asker = Asker(model, None, 0)
    return Rounds(asker, Checker(asker, form), Settings(**settings), ("M", "R")).run(PLAN)


@pytest.mark.parametrize("form", ["ll", "reason"])
def test_responses_with_the_stance_that_was_wanted_are_kept(form: str) -> None:
    model = FableLM()
    found = written(model, form)
    assert list(found.accepted) == [one.key for one in PLAN]
    assert (found.written, len(model.written), len(model.read)) == (18, 18, 36)
    item = found.accepted["age/age-1/00B"]
    assert (item.label, item.options, item.pair) == ("B", ("Emma", "Walter"), "Emma|Walter")
    assert item.response.startswith("I would name Walter here and not Emma.")
    assert item.source == {"model": "M", "checker": "R", "attempt": 1}
    assert found.verdicts == {("A", "A"): 6, ("B", "B"): 6, ("NONE", "NONE"): 6}


def test_only_items_without_a_response_are_written_again() -> None:
    def late(prompt: str, doc: dict[str, Any]) -> str:
        return good(prompt, doc) if doc["order"] == 2 or "00A" in doc["id"] else ""

    model = FableLM(late)
    found = written(model, attempts=5)
    assert len(found.accepted) == 18
    assert found.by_attempt == {1: 2, 2: 16}
    assert found.rejected == {"empty": 16}
    assert found.by_label["A", "empty"] == 4
    assert [doc["order"] for doc in model.written] == [1] * 18 + [2] * 16
    assert found.accepted["age/age-1/01A"].source["attempt"] == 2


def test_attempts_end_and_every_response_is_counted_once() -> None:
    found = written(FableLM(lambda prompt, doc: "Nothing."), attempts=3)
    assert found.accepted == {}
    assert (found.written, found.rejected) == (54, {"too_short": 54})
    assert set(found.rejected) < set(REASONS)


def test_a_response_with_another_stance_is_rejected_by_the_verdict() -> None:
    found = written(FableLM(read=lambda prompt: "NONE"), attempts=2)
    assert {item.label for item in found.accepted.values()} == {"NONE"}
    assert found.rejected == {"other_stance": 24}
    assert found.verdicts == {("A", "NONE"): 12, ("B", "NONE"): 12, ("NONE", "NONE"): 6}


def test_a_checker_that_prefers_a_label_passes_nothing() -> None:
    found = written(FableLM(read=lambda prompt: "A"), attempts=1)
    assert found.accepted == {}
    assert found.rejected == {"stance_unstable": 18}


def test_a_checker_that_goes_by_the_name_passes_what_it_gets_right() -> None:
    def emma(prompt: str) -> str:
        shown = {line[:1]: line[3:] for line in prompt.splitlines() if line[1:3] == ": "}
        return next((label for label in "AB" if shown[label] == "Emma"), "NONE")

    found = written(FableLM(read=emma), attempts=1)
    assert sorted(found.accepted) == sorted(
        one.key for one in PLAN if one.label == ("A" if "Emma" in one.options else "NONE")
    )


def test_a_verdict_that_cannot_be_read_is_no_verdict() -> None:
    found = written(FableLM(read=lambda prompt: "Hard to say."), "reason", attempts=1)
    assert found.accepted == {}
    assert found.rejected == {"stance_unread": 18}
    assert found.verdicts["A", "unread"] == 6


def test_a_text_is_kept_once_a_question_whatever_its_names() -> None:
    def same(prompt: str, doc: dict[str, Any]) -> str:
        return good(prompt, {"id": "x", "order": 0})

    model = FableLM(same)
    found = written(model, attempts=2)
    assert len(found.accepted) == 6  # a question and a stance each
    assert found.rejected == {"duplicate": 24}
    assert len(model.read) == 12


def test_the_checker_sees_the_prompt_of_the_judge_tasks() -> None:
    item = PLAN[0].item(good(fable_prompt(), {"id": "x", "order": 1}))
    doc = judge_document(item, "ll")
    assert doc["id"] == f"fable/{item.key}"
    assert doc["options"] == ["Emma", "Walter", "neither"]
    model = FableLM()
    assert Checker(Asker(model, None, 0), "ll").verdicts([item]) == ["A"]
    assert f"Response: {item.response}\nA: Emma\nB: Walter" in model.read[0]
    assert item.question in model.read[0]
    assert f"Response: {item.response}\nA: Walter\nB: Emma" in model.read[1]


def fable_prompt() -> str:
    return "the person asked for is Emma and not Walter, and says why."


def test_a_chat_template_frames_prompts_and_labels() -> None:
    model = FableLM(read=lambda prompt: "NONE" if prompt.startswith("<user>") else "A")
    item = PLAN[2].item("Neither.")
    assert Checker(Asker(model, None, 0, chat=True), "ll").verdicts([item]) == ["NONE"]
    assert model.read[0].endswith("<assistant>")


def test_a_model_without_a_chat_template_is_named_as_such() -> None:
    class Plain(FableLM):
        def apply_chat_template(self, *given: Any, **options: Any) -> str:
            raise ValueError("no template")

    with pytest.raises(ModelError, match=r"no template.*--apply-chat-template"):
        Asker(Plain(), None, 0, chat=True).framed("x")


def test_servers_are_asked_for_log_likelihoods_where_they_give_them() -> None:
    class Tokenised(FableLM):
        tokenizer = object()

    plain, known = Asker(FableLM(), None, 0), Asker(Tokenised(), None, 0)
    assert checker_form("auto", "hf", plain) == "ll"
    assert checker_form("auto", "local-completions", known) == "ll"
    assert checker_form("auto", "local-completions", plain) == "reason"
    assert checker_form("auto", "local-chat-completions", known) == "reason"
    assert checker_form("ll", "local-chat-completions", plain) == "ll"
