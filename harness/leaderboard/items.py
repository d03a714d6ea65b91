"""The items that the page shows, in pieces: one with the clean texts, then one a condition.

Texts and answers are read condition by condition, and no piece is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sociolect.generators.conditions import CLEAN
from sociolect.harness.answers import Asked
from sociolect.harness.leaderboard.board import Board, Section, Subject
from sociolect.harness.leaderboard.items_chosen import Choices, Seen, rule, sections_of, see
from sociolect.harness.leaderboard.items_texts import Texts, cut, edits_of, texts_of
from sociolect.harness.store.loading import read_documents
from sociolect.harness.store.stored import Store

_ITEM = ("pair_id", "pair_valid", "member", "gold", "target_option", "question", "options")
"""What `Run.items` holds of an item, in this order."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A piece of what is known of the chosen items.

    Attributes:
        condition: Empty for the clean texts, else `clean` or the id of a condition.
        content: Ready for JSON.
    """

    condition: str
    content: Mapping[str, Any]


def item_shards(store: Store, board: Board, subject: Subject, count: int) -> Iterator[Shard]:
    """The items of a subject whose answers change most, with texts and answers.

    Args:
        store: Holds the runs of the board.
        board: Says which runs were compared.
        subject: One of its subjects.
        count: Units to choose; of a pair, both members are shown. For 0 there is nothing.

    Yields:
        The clean texts; then, for the clean condition and every other one that has runs of its own,
        edits and answers. Offsets count code points of the clean text.

    Raises:
        ResultsError: A file changed since it was indexed.
    """
    if count < 1:
        return
    seen = see(store, board, subject)
    chosen = seen.ranked()[:count]
    items = {id_: content for unit in chosen for id_, content in seen.units[unit].items()}
    reader = _Reader(store, seen, items)
    sections = sections_of(board, subject)  # the first of them says what the text is
    clean = reader.clean_texts(sections)
    yield Shard(
        "",
        {
            "chosen": len(chosen),
            "of": len(seen.units),
            "rule": rule(subject, seen, chosen),
            "items": [_item(id_, items[id_], texts) for id_, texts in clean.items()],
        },
    )
    for condition in (CLEAN, *(one.id for one in subject.conditions)):
        if runs := _runs_of(sections, condition):
            yield Shard(condition, reader.condition(runs, clean))


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


class _Reader:
    """Reads what single runs asked and answered about the chosen items."""

    def __init__(self, store: Store, seen: Seen, items: Mapping[str, tuple[Any, ...]]) -> None:
        self.store, self.seen, self.items = store, seen, items
        self.runs = {run.id: run for run in store.runs}

    def asked(self, run: str) -> dict[str, list[Asked]]:
        """The prompts of the chosen items, as far as a run asked them."""
        has = self.seen.choices[run].asked.items
        wanted = [id_ for id_ in self.items if id_ in has]
        return read_documents(self.store, self.runs[run], wanted) if wanted else {}

    def is_item(self, doc: Mapping[str, Any]) -> bool:
        """Whether a document has the question and options that are shown."""
        *_, question, options = self.items[doc["id"]]
        return (doc["question"], tuple(doc["options"])) == (question, options)

    def clean_texts(self, sections: Sequence[Section]) -> dict[str, Texts]:
        """The clean texts of the items, in the order in which they were chosen."""
        found: dict[str, Texts] = {}
        for _, run in _runs_of(sections, CLEAN):
            if len(found) < len(self.items):
                for id_, prompts in self.asked(run).items():
                    if self.is_item(prompts[0].doc):
                        found.setdefault(id_, texts_of(prompts[0].doc))
        return {id_: found[id_] for id_ in self.items if id_ in found}

    def condition(
        self, runs: Sequence[tuple[str, str]], clean: Mapping[str, Texts]
    ) -> dict[str, Any]:
        """Edits and answers of one condition."""
        shown: dict[str, Texts] = {}
        edits: dict[str, list[dict[str, Any]] | None] = {}
        answers: dict[str, dict[str, list[dict[str, Any]]]] = {}
        other_text = 0
        for section, run in runs:
            for id_, prompts in self.asked(run).items():
                doc = prompts[0].doc
                texts = texts_of(doc)
                if not self.is_item(doc) or shown.get(id_, texts) != texts:
                    other_text += 1
                    continue
                if id_ not in shown:
                    shown[id_], edits[id_] = texts, edits_of(doc, clean[id_])
                answers.setdefault(id_, {})[section] = _answers(prompts, self.seen.choices[run])
        return {
            "edits": edits,
            "texts": {id_: shown[id_] for id_, found in edits.items() if found is None},
            "answers": answers,
            "other_text": other_text,
        }


def _answers(prompts: Sequence[Asked], choices: Choices) -> list[dict[str, Any]]:
    """What was answered in each option order."""
    found = []
    for asked in prompts:
        text, is_cut = cut(asked.generations[0]) if asked.generations else ("", False)
        order = asked.doc["order"]
        chosen = choices.of((asked.doc["id"], order))
        found.append({"order": order, "choices": chosen, "text": text, "cut": is_cut})
    return found
