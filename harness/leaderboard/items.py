"""The items that the page shows, in pieces: one with the clean texts, then one a condition.

Texts and answers are read condition by condition, and no piece is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from sociolect.generators.conditions import CLEAN
from sociolect.harness.leaderboard.board import Board, Section, Subject
from sociolect.harness.leaderboard.items_chosen import moves, rule, sections_of
from sociolect.harness.leaderboard.items_texts import Texts, cut, edits_of, texts_of
from sociolect.harness.leaderboard.pool import FEW_RUNS, ordered
from sociolect.harness.store.loading import Answered, read_answered
from sociolect.harness.store.stored import Store
from sociolect.tasks.prompts import cloze

_ITEM = ("pair_id", "pair_valid", "member", "gold", "target_option", "question", "options")
"""What `Run.items` holds of an item, in this order."""
Items = Mapping[str, tuple[Any, ...]]
"""That by item id."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A piece of what is known of the chosen items.

    Attributes:
        condition: Empty for the clean texts, else `clean` or the id of a condition.
        content: Ready for JSON.
    """

    condition: str
    content: Mapping[str, Any]


def item_shards(
    store: Store, board: Board, subject: Subject, count: int, *, processes: int = 1
) -> Iterator[Shard]:
    """The items of a subject whose answers change most, with texts and answers.

    Args:
        store: Holds the runs of the board.
        board: Says which runs were compared.
        subject: One of its subjects.
        count: Units to choose; of a pair, both members are shown. For 0 there is nothing.
        processes: How many; 0 for as many as there are CPUs. The pieces are the same for any.

    Yields:
        The clean texts; then, for the clean condition and every other one that has runs of its own,
        edits and answers. Offsets count code points of the clean text.

    Raises:
        ResultsError: A file changed since it was indexed.
    """
    if count < 1:
        return
    sections = sections_of(board, subject)  # the first of them says what the text is
    workers = 1 if len(_ids(subject, sections)) < FEW_RUNS else processes
    moved = moves(store, board, subject, processes=workers)
    chosen = moved.ranked()[:count]
    items = {id_: content for unit in chosen for id_, content in moved.units[unit].items()}
    clean = _clean_texts(store, _runs_of(sections, CLEAN), items)
    yield Shard(
        "",
        {
            "chosen": len(chosen),
            "of": len(moved.units),
            "rule": rule(subject, moved, chosen),
            "items": [_item(id_, items[id_], texts) for id_, texts in clean.items()],
        },
    )
    asked = {one: _runs_of(sections, one) for one in (CLEAN, *(c.id for c in subject.conditions))}
    given = [(_only(store, runs), runs, items, clean) for runs in asked.values() if runs]
    names = [condition for condition, runs in asked.items() if runs]
    contents = ordered(condition_content, given, processes=workers)
    for condition, content in zip(names, contents, strict=True):
        yield Shard(condition, content)


def _ids(subject: Subject, sections: Sequence[Section]) -> list[str]:
    """Ids of all runs of a subject."""
    conditions = (CLEAN, *(one.id for one in subject.conditions))
    return [run for one in conditions for _, run in _runs_of(sections, one)]


def _only(store: Store, runs: Sequence[tuple[str, str]]) -> Store:
    """The store with no runs but these."""
    ids = {run for _, run in runs}
    return replace(store, runs=tuple(run for run in store.runs if run.id in ids), problems=())


def _item(id_: str, content: tuple[Any, ...], texts: Texts) -> dict[str, Any]:
    known = dict(zip(_ITEM, content, strict=True))
    named = ("pair_id", "member", "question", "gold", "target_option")
    options = list(known["options"])
    return {"id": id_, **{name: known[name] for name in named}, "options": options, **texts}


def _runs_of(sections: Sequence[Section], condition: str) -> list[tuple[str, str]]:
    """Ids of section and run; none of a mean over error seeds, whose runs are shown apart."""
    if condition == CLEAN:
        return [(one.id, one.clean.run) for one in sections if one.clean]
    return [
        (section.id, change.runs[0])
        for section in sections
        for change in section.changes
        if change.condition == condition and len(change.runs) == 1
    ]


def _clean_texts(store: Store, runs: Sequence[tuple[str, str]], items: Items) -> dict[str, Texts]:
    """The clean texts of the items, in the order in which they were chosen."""
    stored = {run.id: run for run in store.runs}
    found: dict[str, Texts] = {}
    for _, run in runs:
        if len(found) < len(items):
            for id_, prompts in read_answered(store, stored[run], items).items():
                if _is_item(prompts[0].asked.doc, items):
                    found.setdefault(id_, texts_of(prompts[0].asked.doc))
    return {id_: found[id_] for id_ in items if id_ in found}


def _is_item(doc: Mapping[str, Any], items: Items) -> bool:
    """Whether a document has the question and options that are shown."""
    *_, question, options = items[doc["id"]]
    return (doc["question"], tuple(doc["options"])) == (question, options)


def condition_content(
    store: Store, runs: Sequence[tuple[str, str]], items: Items, clean: Mapping[str, Texts]
) -> dict[str, Any]:
    """Edits and answers of one condition; of the `ll` form also what was scored, and how.

    Args:
        store: Holds the runs.
        runs: Ids of section and run.
        items: What never changes of the items that are shown.
        clean: Their clean texts.
    """
    stored = {run.id: run for run in store.runs}
    shown: dict[str, Texts] = {}
    prompts: dict[str, dict[str, list[str]]] = {}
    edits: dict[str, list[dict[str, Any]] | None] = {}
    answers: dict[str, dict[str, list[dict[str, Any]]]] = {}
    other_text = 0
    for section, run in runs:
        for id_, answered in read_answered(store, stored[run], clean).items():
            doc = answered[0].asked.doc
            texts = texts_of(doc)
            if not _is_item(doc, items) or shown.get(id_, texts) != texts:
                other_text += 1
                continue
            if id_ not in shown:
                shown[id_], edits[id_] = texts, edits_of(doc, clean[id_])
                if doc["form"] == "ll":
                    contexts, continuations = map(list, cloze(doc))
                    prompts[id_] = {"contexts": contexts, "continuations": continuations}
            answers.setdefault(id_, {})[section] = [_answer(one) for one in answered]
    return {
        "edits": edits,
        "texts": {id_: shown[id_] for id_, found in edits.items() if found is None},
        "answers": answers,
        "other_text": other_text,
        **({"prompts": prompts} if prompts else {}),
    }


def _answer(answered: Answered) -> dict[str, Any]:
    """What was answered in one option order."""
    asked, choices = answered
    text, is_cut = cut(asked.generations[0]) if asked.generations else ("", False)
    found = {"order": asked.doc["order"], "choices": list(choices), "text": text, "cut": is_cut}
    if asked.scores:
        found["scores"] = [score if isfinite(score) else None for score in asked.scores]
    return found
