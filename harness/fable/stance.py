"""Whether a response takes the stance that was wanted: a model reads it as a judge would.

It gets the prompt of the judge tasks, with the clean response, and its verdict is read as theirs.
It reads every response twice, once with the two options exchanged: a model that prefers a label
whatever it reads would else pass every response that was to get that label.

A set that one model has passed is a set on which that model is right by construction, so the
checker should be of another family than the judges under test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sociolect.generators.benchmarks.fable_items import LABELS, JudgeItem
from sociolect.generators.benchmarks.fable_judging import bench_item
from sociolect.generators.errors import UnknownNameError
from sociolect.harness.fable.asking import Asker
from sociolect.steering.backends.registry import SERVED
from sociolect.tasks.naming import UNANSWERED
from sociolect.tasks.prompts import cloze, render
from sociolect.tasks.scoring import choices

CHECKER_FORMS = ("auto", "ll", "reason")
"""How a verdict is asked for: by log-likelihood of the labels, by generation, or the first where
the model can."""
UNREAD = "unread"
"""In place of a verdict that could not be read."""
UNSTABLE = "unstable"
"""In place of two verdicts of which one is wrong: the order of the options decides."""
VERDICTS = (*LABELS, UNSTABLE, UNREAD)
"""What a checker may say of a response."""
TASK = "fable_stance"

_GREEDY: Mapping[str, Any] = {
    "until": [],
    "do_sample": False,
    "temperature": 0.0,
    "max_gen_toks": 16,
}


@dataclass(frozen=True, slots=True)
class Checker:
    """A model that reads stances.

    Attributes:
        asker: The model.
        form: `ll` or `reason`, the forms of the judge tasks.
    """

    asker: Asker
    form: str

    def verdicts(self, items: Sequence[JudgeItem]) -> list[str]:
        """What the checker takes the stance of each response to be.

        Returns:
            A label, `UNREAD` (a reading gave none) or `UNSTABLE` (the readings disagree).
        """
        docs = [judge_document(item, self.form) for item in (*items, *map(_exchanged, items))]
        found = [
            choices(doc, responses)[0]
            for doc, responses in zip(docs, self._responses(docs), strict=True)
        ]
        straight, exchanged = found[: len(items)], found[len(items) :]
        return [_joint(one, other) for one, other in zip(straight, exchanged, strict=True)]

    def _responses(self, docs: Sequence[Mapping[str, Any]]) -> list[Sequence[Any]]:
        if self.form == "reason":
            prompts = [render(doc, "reason", 0) for doc in docs]
            return [[text] for text in self.asker.write(docs, prompts, _GREEDY, TASK)]
        clozes = [cloze(doc) for doc in docs]
        pairs = [list(zip(own.contexts, own.continuations, strict=True)) for own in clozes]
        return [list(own) for own in self.asker.score(docs, pairs, TASK)]


def checker_form(wanted: str, backend: str, asker: Asker) -> str:
    """The form in which a checker is asked.

    Args:
        wanted: One of `CHECKER_FORMS`.
        backend: Name of its backend. A server gives log-likelihoods of a text only if it is no
            chat server and its tokenizer is known here.
        asker: The checker.

    Raises:
        UnknownNameError: No such form.
    """
    check_form(wanted)
    if wanted != "auto":
        return wanted
    blind = backend in SERVED and getattr(asker.model, "tokenizer", None) is None
    return "reason" if blind or "chat-completions" in backend else "ll"


def check_form(wanted: str) -> None:
    """Refuse what is no form.

    Raises:
        UnknownNameError: It is not one of `CHECKER_FORMS`.
    """
    if wanted not in CHECKER_FORMS:
        raise UnknownNameError("form of the checker", wanted, CHECKER_FORMS)


def _exchanged(item: JudgeItem) -> JudgeItem:
    """The same response with the options in the other order."""
    first, second = item.options
    label = {"A": "B", "B": "A"}.get(item.label, item.label)
    return replace(item, options=(second, first), label=label, groups=None, stereotyped=None)


def _joint(straight: int, exchanged: int) -> str:
    """The verdict of two readings, the second with the options exchanged."""
    if UNANSWERED in (straight, exchanged):
        return UNREAD
    back = {0: 1, 1: 0}.get(exchanged, exchanged)
    return LABELS[straight] if straight == back else UNSTABLE


def judge_document(item: JudgeItem, form: str) -> dict[str, Any]:
    """The document of a judge task that asks for the stance of a clean response."""
    shown = bench_item(item, "fable")
    return {
        "benchmark": shown.benchmark,
        "id": shown.id,
        **{name: passage.text for name, passage in shown.parts.items()},
        "question": shown.question,
        "options": list(shown.options),
        "gold": shown.gold,
        "form": form,
        "order": 0,
    }
