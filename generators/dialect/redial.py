r"""ReDial (Lin et al. 2025): reasoning prompts that speakers of AAE rewrote.

A prompt of ReDial is what was written for its item and a frame around it: how to answer, what a
sentence of a puzzle is called, the constraints of a plan. The frame was written once for each
variety and is the same in up to 314 prompts. With it every pair would show the same features
(*ain't no using no other …*), and a continuation would often be nothing else. So the text of a
pair is the item without its frame:

* HumanEval (164) and MBPP (150): without the last line, which asks for a function; HumanEval also
  without the first. Code at the end that is the same on both sides goes too: it is in no variety.
* AsyncHow (240): up to the line that announces the constraints, which a template writes.
* FOLIO (162): premises and conclusion.
* LogicBench (200): without the sentence on `<answer></answer>`.

What is left is kept character by character. `cot` holds the same items, and differs in its frame
only: it would repeat every text, and is not read.

Groups, which stay in one split: stories of FOLIO, contexts of LogicBench (items whose SAE text
begins with the same six words). AsyncHow has 15 plans that two people rewrote; their SAE text
is the same, which keeps them together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.dialect.pair_files import Located, PairFile, pair_file
from sociolect.generators.dialect.pair_relations import normalised
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.errors import SourceError
from sociolect.generators.source_text import check_file, quoted
from sociolect.generators.sources import PinnedFile, fetch_texts

NAME = "redial"
LICENCE = "MIT"
COMMIT = "0613717d59c0e3e72886231102e7eaeea964225d"
_ROOT = (
    f"https://raw.githubusercontent.com/fangru-lin/redial_dialect_robustness_fairness/{COMMIT}"
    "/data/redial/redial_gold"
)


def _pinned(name: str, sha256: str) -> PinnedFile:
    return PinnedFile(f"{NAME}/{name}", sha256, f"{_ROOT}/{name}")


FILES = (
    _pinned("algorithm.json", "77db5ace0ef81f174e497a01c193145afbfbf7ad7febfad33613b5baef0a6dbe"),
    _pinned(
        "comprehensive.json", "366fbb9bab5a05bec2c84b8f5ea625ace53b3c20d34d17e20c1c85848aeeb05d"
    ),
    _pinned("logic.json", "96a42b4f86f5402663500df0910efd742c0aed1955282ae1da0a1a1728e5d22d"),
)
"""Everything that `load` reads, in the order of the manifest."""

_FORM = "vanilla"
_SIDES = {"aae": "aave", "sae": "original"}
_ANSWER_FORMAT = re.compile(r" ?[^.?!<]*<answer></answer> \(e\.g\.,? <answer>\w+</answer>\)\.")
_CONSTRAINTS = re.compile(r"\n\s*These ordering constraints .*", re.DOTALL)
_WORDS_OF_CONTEXT = 6

Record = Mapping[str, Any]


def load(sources: Path | None = None) -> PairFile:
    """The 914 pairs of 916 items, two of which differ in their frame alone.

    An id is the file and the place in it.

    Args:
        sources: Local folder; None looks at `SOCIOLECT_SOURCES`, then downloads.

    Raises:
        SourceError: A file is missing, changed or malformed.
    """
    texts = fetch_texts(FILES, sources)
    located = [pair for name, text in texts.items() for pair in parse(text, name)]
    return pair_file(located, tuple(f.source for f in FILES), NAME, licence=LICENCE)


def parse(text: str, name: str) -> list[Located]:
    """The pairs of one file.

    Raises:
        SourceError: It is malformed: no JSON of this shape, sides of different length, an item of
            an unknown kind.
    """
    check_file(text, name)
    try:
        form = json.loads(text)[_FORM]
        items = list(zip(*(form[side] for side in _SIDES.values()), strict=True))
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise SourceError(f"{name}: not a file of ReDial ({quoted(str(error))}).") from error
    stem = Path(name).stem
    return [
        _pair(f"{NAME}/{stem}/{number:03}", items_of, f"{name}: {_FORM} {number}")
        for number, items_of in enumerate(items)
    ]


def _pair(id_: str, items: tuple[Record, Record], where: str) -> Located:
    try:
        aae, sae = item_texts(*items)
        group = _group(items[1], sae)
    except (LookupError, TypeError, AttributeError) as error:
        raise SourceError(f"{where}: no item of ReDial ({quoted(str(error))}).") from error
    return where, DialectPair(id_, aae, sae, group=group)


def item_texts(aae_item: Record, sae_item: Record) -> tuple[str, str]:
    """The AAE and the SAE text of an item, without the frame.

    Raises:
        KeyError: The item is of an unknown kind, or lacks a field.
    """
    aae, sae = (_UNFRAMED[item["data_name"]](item) for item in (aae_item, sae_item))
    if sae_item["data_name"] in ("humaneval", "mbpp"):
        aae, sae = _without_equal_end(aae, sae)
    return aae.strip(), sae.strip()


def _humaneval(item: Record) -> str:
    return _mbpp(item).split("\n", 1)[1]


def _mbpp(item: Record) -> str:
    text: str = item["prompt"].rstrip().rsplit("\n", 1)[0]
    return text


def _asynchow(item: Record) -> str:
    return _CONSTRAINTS.sub("", item["prompt"])


def _folio(item: Record) -> str:
    return f"{item['premises'].strip()}\n{item['conclusion']}"


def _logicbench(item: Record) -> str:
    return _ANSWER_FORMAT.sub("", item["prompt"])


_UNFRAMED: Mapping[str, Callable[[Record], str]] = {
    "humaneval": _humaneval,
    "mbpp": _mbpp,
    "asynchow": _asynchow,
    "folio": _folio,
    "logicbench": _logicbench,
}


def _without_equal_end(aae: str, sae: str) -> tuple[str, str]:
    """Two texts without the lines at their end that are the same in both, if others are left."""
    ends = [text.rstrip().split("\n") for text in (aae, sae)]
    while all(ends) and normalised(ends[0][-1]) == normalised(ends[1][-1]):
        for lines in ends:
            lines.pop()
    if not all(ends):
        return aae, sae
    return "\n".join(ends[0]), "\n".join(ends[1])


def _group(item: Record, sae: str) -> str:
    if item["data_name"] == "folio":
        return f"{NAME}/folio/{item['story_id']}"
    if item["data_name"] == "logicbench":
        words = re.findall(r"\w+", sae.casefold())[:_WORDS_OF_CONTEXT]
        return f"{NAME}/logicbench/{' '.join(words)}"
    return ""
