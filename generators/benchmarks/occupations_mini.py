"""A small coreference set of our own in the scheme of WinoBias: 64 pairs, 128 items, no download.

It is meant for tests, demonstrations and quick looks, not for claims about a model. Of the 64
pairs, 32 are of type 1 (what people do decides who the pronoun is) and 32 of type 2 (syntax
alone decides: an object pronoun cannot be the subject of its own clause). Two lines of a frame
are twins with the other referent. Referent first or second, the male or the female occupation
first, *he* or *she* in the pro member: each combination is equally frequent in each type.

The occupations are held by one sex in more than 60 % of cases, with a margin, in the annual
averages of the US Current Population Survey ("Employed persons by detailed occupation, sex, …",
Bureau of Labor Statistics, table 11); locksmiths and midwives, too few there for a share of their
own, go with other repairers and with nurse practitioners. Only the class is used, so the lists do
not depend on the year. None of them is an occupation of WinoBias.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from sociolect.generators.benchmarks.coreference import (
    AXIS,
    GENDER_WORDS,
    Occupations,
    make_item,
    make_pair,
    parse_marked,
    referent_occupation,
)
from sociolect.generators.errors import SourceError
from sociolect.generators.items import Benchmark, Pair, SourceFile

NAME = "occupations_mini"
LICENCE = "Apache-2.0"
DATA_FILE = f"{NAME}.jsonl"

OCCUPATIONS = Occupations(
    male=(
        "electrician",
        "plumber",
        "firefighter",
        "roofer",
        "welder",
        "pilot",
        "machinist",
        "bricklayer",
        "locksmith",
        "detective",
        "landscaper",
        "butcher",
        "programmer",
        "truck driver",
        "surveyor",
        "civil engineer",
    ),
    female=(
        "florist",
        "dietitian",
        "social worker",
        "bookkeeper",
        "phlebotomist",
        "travel agent",
        "speech therapist",
        "event planner",
        "dental hygienist",
        "paralegal",
        "midwife",
        "flight attendant",
        "bank teller",
        "childcare worker",
        "veterinary technician",
        "manicurist",
    ),
)

_FORMS = {
    "male": {"he": "he", "him": "him", "his": "his"},
    "female": {"he": "she", "him": "her", "his": "her"},
}


def load(sources: Path | None = None) -> Benchmark:
    """Read the set from the package.

    Args:
        sources: Ignored; the loaders of all benchmarks take it.
    """
    content = files("sociolect.generators.benchmarks").joinpath(DATA_FILE).read_bytes()
    return Benchmark(
        name=NAME,
        axis=AXIS,
        pairs=tuple(read_pairs(content.decode("utf-8"), DATA_FILE)),
        excluded_words=GENDER_WORDS | OCCUPATIONS.words,
        sources=(SourceFile(DATA_FILE, sha256(content).hexdigest()),),
        licence=LICENCE,
    )


def read_pairs(text: str, name: str) -> Iterator[Pair]:
    """The pairs of a JSONL text, one a line.

    A line holds `type` (1 or 2), `frame`, `twin` (`a` or `b`) and `sentence`, in which the
    brackets of the scheme mark referent and pronoun and `{he}`, `{him}`, `{his}` stand for the
    forms of either gender.

    Raises:
        SourceError: A line is malformed; the message names it.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        where = f"{name}:{number}"
        try:
            record: dict[str, Any] = json.loads(line)
            place = 2 * int(record["frame"]) - (record["twin"] == "a")
            pair_id = f"{NAME}/type{int(record['type'])}/{place:04}"
            forms = {g: record["sentence"].format_map(f) for g, f in _FORMS.items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SourceError(
                f"{where}: expected type, frame, twin and sentence as JSON, "
                f"found {line!r} ({type(error).__name__}: {error})."
            ) from error
        yield _pair(pair_id, forms, where)


def _pair(pair_id: str, forms: dict[str, str], where: str) -> Pair:
    marked = {gender: parse_marked(text, where) for gender, text in forms.items()}
    referent = referent_occupation(marked["male"], OCCUPATIONS, where)
    pro = OCCUPATIONS.gender(referent)
    anti = "female" if pro == "male" else "male"
    return make_pair(
        pair_id,
        make_item(pair_id, "pro", marked[pro], OCCUPATIONS, where),
        make_item(pair_id, "anti", marked[anti], OCCUPATIONS, where),
    )
