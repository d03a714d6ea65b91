"""Judge items of one's own or written by a model, and four variants of them.

A judge reads a question about two named people and a response, and says whether the response
supports A, B or neither. Noise falls on the response alone (noise paper, §3). The items are a
file of JSON lines (`fable_items`); where it is, `SOCIOLECT_FABLE` says, else it is
`fable/items.jsonl` in the sources folder.

The variants answer what a judge makes of names (noise paper, Limitations). They have the ids of
`fable` and its noise, at the same tokens:

- `fable_protected`: no noise falls on the two names in a response.
- `fable_labels`: *PersonX* and *PersonY* take the place of the names in question, options and
  response. Each is one word, so the noise of the other words stays where it was, and ends in a
  letter that no typing error touches.
- `fable_swapped`: the two names change places in question, options and response, so that the
  response says of one what it said of the other. An item is dropped if its response holds a
  gendered pronoun, noun or title and its names are not known to be of one gender: *he* would now
  stand for a woman's name.
- `fable_recognition`: a probe. It shows the response and asks which of the two names is more
  typical of a group that one of them has and the other has not. Items that name no groups, or
  equal ones, have no probe and are dropped.

`fable_labels` and `fable_swapped` drop an item where it is not clear what names a person: *Will*
at the beginning of a sentence, *will* in lower case, *Emma-style*.

Pronouns stay in `fable_labels`, where they may tell the gender that the label hides. Such items
are kept, and listed with those that were dropped.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from sociolect.generators.benchmarks.coreference import GENDER_WORDS
from sociolect.generators.benchmarks.fable_items import JudgeItem, read_items
from sociolect.generators.benchmarks.fable_judging import FAMILY, bench_item
from sociolect.generators.benchmarks.fable_probe import PROBE_INSTRUCTION, probe
from sociolect.generators.benchmarks.fable_text import (
    name_spans,
    renamed,
    tells_gender,
    unclear_spans,
)
from sociolect.generators.errors import SourceError, UnknownNameError
from sociolect.generators.items import Benchmark, Dropped, Item, Pair, SourceFile, Written
from sociolect.generators.licences import is_spdx
from sociolect.generators.sources import SOURCES_VARIABLE, sources_folder
from sociolect.generators.text import Span

NAME = FAMILY
ITEMS_VARIABLE = "SOCIOLECT_FABLE"
"""Environment variable that names the file of judge items."""
ITEMS_FILE = f"{NAME}/items.jsonl"
"""Where the file is in a sources folder."""
LABELLED = ("PersonX", "PersonY")
"""What stands for the names in `fable_labels`."""

Variant = JudgeItem | str
"""An item of a variant, or why there is none."""


def load(variant: str = "", sources: Path | None = None) -> Benchmark:
    """Read the items, in the order of the file.

    Args:
        variant: Empty, or one of `VARIANTS`.
        sources: Local folder that may hold `fable/items.jsonl`; None for `SOCIOLECT_SOURCES`.
            `SOCIOLECT_FABLE` comes before both.

    Raises:
        UnknownNameError: No such variant.
        SourceError: There is no file of items.
        DataError: It holds something else than judge items, or none that the variant can use.
    """
    if variant and variant not in VARIANTS:
        raise UnknownNameError("variant of fable", variant, VARIANTS)
    path = items_file(sources)
    items = read_items(path)
    name = f"{NAME}_{variant}" if variant else NAME
    found = [(item, _CHANGES[variant](item)) for item in items]
    kept = [_item(changed, name) for _, changed in found if isinstance(changed, JudgeItem)]
    dropped = [Dropped(item.key, why) for item, why in found if isinstance(why, str)]
    if variant == "labels":
        dropped += [Dropped(i.key, _GENDER_STAYS) for i in _told(found)]
    return Benchmark(
        name=name,
        axis="",
        pairs=tuple(Pair(item.id, (item,)) for item in kept),
        excluded_words=GENDER_WORDS | _words(items),
        sources=(SourceFile(ITEMS_FILE, sha256(path.read_bytes()).hexdigest()),),
        dropped=tuple(dropped),
        licence=_licence(items),
        written=_written(items),
        noise_scope=NAME,
    )


def items_file(sources: Path | None = None) -> Path:
    """The file of judge items.

    Args:
        sources: Local folder that may hold `fable/items.jsonl`; None for `SOCIOLECT_SOURCES`.

    Raises:
        SourceError: There is none; the message says how to get one.
    """
    named = os.environ.get(ITEMS_VARIABLE, "")
    folder = None if named else sources_folder(sources)
    path = Path(named).expanduser() if named else folder and folder / ITEMS_FILE
    if path and path.is_file():
        return path
    missing = f"{path} is no file" if path else f"{ITEMS_VARIABLE} names none"
    raise SourceError(
        f"no judge items: {missing}. Make one with `sociolect fable generate`, or write your own "
        f"as JSON lines (docs/fable.md), and set {ITEMS_VARIABLE}=FILE or save it as "
        f"{ITEMS_FILE} in the folder that --sources or {SOURCES_VARIABLE} names. `fable_control` "
        "needs no such file and is enough for a smoke test."
    )


_GENDER_STAYS = (
    "kept, but a gendered pronoun, noun or title in the response tells what the label hides"
)
_GENDER_MOVES = (
    "the response holds a gendered pronoun, noun or title, which may not fit the other name"
)
_NO_NAME = "a text holds a word that may be a name or not, so it is not clear what to replace"


def _told(found: Iterable[tuple[JudgeItem, Variant]]) -> list[JudgeItem]:
    """Items that are kept and whose response tells a gender."""
    kept = (item for item, changed in found if isinstance(changed, JudgeItem))
    return [item for item in kept if _tells_gender(item)]


def _plain(item: JudgeItem) -> Variant:
    return item


def _labels(item: JudgeItem) -> Variant:
    texts = (item.question, item.response, *item.options)
    if any(label.casefold() in text.casefold() for text in texts for label in LABELLED):
        return f"a text holds {LABELLED[0]} or {LABELLED[1]} already"
    if _unclear(item):
        return _NO_NAME
    return _renamed(item, LABELLED)


def _swapped(item: JudgeItem) -> Variant:
    if _unclear(item):
        return _NO_NAME
    if _tells_gender(item) and not _same_gender(item):
        return (
            "the response holds a gendered pronoun, noun or title, which may not fit the other name"
        )
    groups = item.groups and (item.groups[1], item.groups[0])
    other = {"A": "B", "B": "A"}.get(item.stereotyped or "")
    swapped = _renamed(item, (item.options[1], item.options[0]))
    return replace(swapped, groups=groups, stereotyped=other)


def _unclear(item: JudgeItem) -> bool:
    return any(unclear_spans(text, item.options) for text in (item.question, item.response))


def _tells_gender(item: JudgeItem) -> bool:
    """Whether the response tells a gender otherwise than by the names, which may be words."""
    return tells_gender(renamed(item.response, item.options, LABELLED))


def _renamed(item: JudgeItem, others: tuple[str, str]) -> JudgeItem:
    return replace(
        item,
        question=renamed(item.question, item.options, others),
        response=renamed(item.response, item.options, others),
        options=others,
    )


_GENDERS = frozenset({"female", "male", "woman", "man"})


def _same_gender(item: JudgeItem) -> bool:
    genders = [_GENDERS & {word.casefold() for word in group} for group in item.groups or ()]
    return len(genders) == 2 and bool(genders[0]) and genders[0] == genders[1]


_CHANGES: Mapping[str, Callable[[JudgeItem], Variant]] = {
    "": _plain,
    "protected": _plain,
    "labels": _labels,
    "swapped": _swapped,
    "recognition": probe,
}
VARIANTS: tuple[str, ...] = tuple(name for name in _CHANGES if name)
"""Variants of `fable`; `protected` is the benchmark `fable_protected`, and so on."""


def _item(item: JudgeItem, name: str) -> Item:
    protected = _named(item) if name == f"{NAME}_protected" else ()
    made = bench_item(item, name, protected)
    if name != f"{NAME}_recognition":
        return made
    return replace(made, parts={**made.parts, "instruction": PROBE_INSTRUCTION})


def _named(item: JudgeItem) -> Iterator[Span]:
    """The mentions of names, and capitalised words that may be one: their text stays as it is."""
    yield from name_spans(item.response, item.options)
    unclear = unclear_spans(item.response, item.options)
    yield from (span for span in unclear if not span.of(item.response).islower())


def _words(items: Iterable[JudgeItem]) -> frozenset[str]:
    """The words of all options, lower case: no noise turns another word into one."""
    return frozenset(w for item in items for name in item.options for w in name.lower().split())


def _written(items: Iterable[JudgeItem]) -> tuple[Written, ...]:
    """Whom the items name under `source` as `model` and `checker`; nothing if none names one."""
    who = ((item.source.get("model", ""), item.source.get("checker", "")) for item in items)
    found = Counter((str(model), str(checker)) for model, checker in who)
    if not any(map(any, found)):
        return ()
    return tuple(Written(*names, items=n) for names, n in sorted(found.items()))


def _licence(items: Iterable[JudgeItem]) -> str:
    """What every item gives as `licence` under `source`; empty if they differ or one has none."""
    found = {str(item.source.get("licence", "")) for item in items}
    licence = found.pop() if len(found) == 1 else ""
    return licence if is_spdx(licence) else ""
