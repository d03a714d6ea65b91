"""Habitual *be* of Hofmann et al. (2024): 699 pairs of three words.

*he be cracking* and *he's usually cracking*: three pronouns with each of 233 verbs. One feature, no
context, nothing to continue: the pairs are for directions, and show nothing about a model's
preference. Pairs of one verb are a group.
"""

from __future__ import annotations

from pathlib import Path

from sociolect.generators.dialect.pair_files import Located, PairFile, pair_file
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.errors import SourceError
from sociolect.generators.source_text import check_file, quoted
from sociolect.generators.sources import PinnedFile, fetch_texts

NAME = "habitual"
LICENCE = "MIT"
COMMIT = "61e6421c"
FILE = PinnedFile(
    "hofmann/habitual.txt",
    "8c33cca4854357d250d82069c24c351cd6feb863b03391fbcaa9461f72b0fb79",
    f"https://raw.githubusercontent.com/valentinhofmann/dialect-prejudice/{COMMIT}"
    "/data/pairs/habitual.txt",
)


def load(sources: Path | None = None) -> PairFile:
    """The pairs; an id is the number of the line.

    Args:
        sources: Local folder; None looks at `SOCIOLECT_SOURCES`, then downloads.

    Raises:
        SourceError: The file is missing, changed or malformed.
    """
    text = fetch_texts((FILE,), sources)[FILE.name]
    return pair_file(parse(text), (FILE.source,), NAME, licence=LICENCE)


def parse(text: str) -> list[Located]:
    """The pairs of a file of two texts a line, the AAE one first, with a tab between.

    Raises:
        SourceError: A line is something else.
    """
    check_file(text, FILE.name)
    located: list[Located] = []
    for number, line in enumerate(text.splitlines(), start=1):
        where = f"{FILE.name}:{number}"
        aae, *rest = line.split("\t")
        if len(rest) != 1 or not aae.split():
            raise SourceError(f"{where}: expected two texts and a tab, found {quoted(line)}.")
        pair = DialectPair(f"{NAME}/{number:03}", aae, rest[0], group=f"{NAME}/{aae.split()[-1]}")
        located.append((where, pair))
    return located
