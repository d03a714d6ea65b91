"""WinoBias (Zhao et al., 2018): the four test files, 792 counterfactual pairs, 1,584 items.

Line n of a pro-stereotyped file and line n of the anti-stereotyped file of the same type are one
pair. What the files hold besides clean lines, and what is done about it:

- Sentences are tokenised: the space in `farmer 's` goes, everything else stays byte for byte.
- Only the first two brackets mark referent and pronoun; later ones are further pronouns, which
  are protected like the first.
- One pair (type 2, line 3) reads `the [the chief]`. The doubled article is kept as published.
- The second occupation is not marked, and lines 382 and 384 of the anti type 2 file repeat the
  referent of the line before, so it is looked up in the sentence by the occupation lists.
- In ten pairs the members differ in another word than a gendered pronoun (`careless` against
  `rude`) or do not mirror it. They are built and marked as not valid.
- Two pairs (type 1, lines 93 and 109) call the referent `a … man` in both members. They differ in
  nothing but the pronoun, so they count as valid; the noun is excluded from errors.
- In every line the pronoun agrees with the file: the referent is the stereotyped occupation in a
  pro file and the other one in an anti file. A line that did not would be an error.
"""

from __future__ import annotations

import re
from pathlib import Path

from sociolect.generators.benchmarks.coreference import (
    AXIS,
    GENDER_WORDS,
    Occupations,
    make_item,
    make_pair,
    parse_marked,
)
from sociolect.generators.errors import SourceError
from sociolect.generators.items import Benchmark, Item, Pair
from sociolect.generators.sources import PinnedFile, fetch_texts

NAME = "winobias"
LICENCE = "MIT"
COMMIT = "0bce984dd081bbc10b0622f326727a024c607895"
_ROOT = f"https://raw.githubusercontent.com/uclanlp/corefBias/{COMMIT}/WinoBias/wino"
LINES = 396
"""Lines of each test file."""


def _pinned(path: str, sha256: str) -> PinnedFile:
    return PinnedFile(f"{NAME}/{path.rsplit('/', 1)[-1]}", sha256, f"{_ROOT}/{path}")


_TEST_FILES: dict[tuple[str, int], PinnedFile] = {
    ("pro", 1): _pinned(
        "data/pro_stereotyped_type1.txt.test",
        "db7838907238a758eeb5779e48f38c013b892910d6fe864456c59f04245c6689",
    ),
    ("anti", 1): _pinned(
        "data/anti_stereotyped_type1.txt.test",
        "331db5bd74bfefebf146a60b67645152a4a1991570d2a56f57154103ac361dd2",
    ),
    ("pro", 2): _pinned(
        "data/pro_stereotyped_type2.txt.test",
        "ea1c1fd94fa612e3cc44d7fa3cc4cb76021bb63fdf94f9826f430051e9052438",
    ),
    ("anti", 2): _pinned(
        "data/anti_stereotyped_type2.txt.test",
        "336571ac1ea8c06cd2aba8e5dd2bd98e00acc0c48da3e4ec5ec7e54eb2633a8f",
    ),
}
_MALE = _pinned(
    "data/male_occupations.txt", "6b82d88847b69d56d207a0c396e9830b031890de585e916e6b4e9bc50672657e"
)
_FEMALE = _pinned(
    "data/female_occupations.txt",
    "693bff12286c2c1d46c7d4d45a44a631574710c30b39c1a3001bb7bdebb44ed8",
)
_GENDERED = (
    _pinned(
        "extra_gendered_words.txt",
        "728554ebab711703e37dc92d9d14acde6e5bfcc28fa5b62b90b34110be7bd854",
    ),
    _pinned(
        "generalized_swaps.txt",
        "4d093db96d4386318ec9aafc3cebc458ead06bb02ac81770e278905fbdd4341e",
    ),
)
FILES: tuple[PinnedFile, ...] = (*_TEST_FILES.values(), _MALE, _FEMALE, *_GENDERED)
"""Everything that is read, in the order of the manifest."""


def load(sources: Path | None = None) -> Benchmark:
    """Read WinoBias: type 1, then type 2, each in the order of the files.

    Args:
        sources: Local folder with `winobias/`; None for `SOCIOLECT_SOURCES` or a download.

    Raises:
        SourceError: A file is missing, changed, or malformed.
    """
    texts = fetch_texts(FILES, sources)
    occupations = Occupations(
        tuple(texts[_MALE.name].splitlines()), tuple(texts[_FEMALE.name].splitlines())
    )
    pairs = [
        pair
        for kind in (1, 2)
        for pair in _pairs(
            _members("pro", kind, texts, occupations),
            _members("anti", kind, texts, occupations),
        )
    ]
    gendered = {w for f in _GENDERED for w in gendered_words(texts[f.name])}
    return Benchmark(
        name=NAME,
        axis=AXIS,
        pairs=tuple(pairs),
        excluded_words=GENDER_WORDS | occupations.words | gendered,
        sources=tuple(file.source for file in FILES),
        licence=LICENCE,
    )


def numbered_lines(text: str, name: str) -> list[str]:
    """The sentences of a test file, which numbers its lines from 1.

    Raises:
        SourceError: A line is not `<n> sentence` with its own number, or the file is not as long
            as it should be.
    """
    lines = text.removesuffix("\n").split("\n")
    sentences = []
    for number, line in enumerate(lines, start=1):
        match = re.fullmatch(rf"{number} (\S.*)", line)
        if match is None:
            raise SourceError(f"{name}:{number}: expected '{number} sentence', found {line!r}.")
        sentences.append(match[1])
    if len(sentences) != LINES:
        raise SourceError(f"{name}: expected {LINES} lines, found {len(sentences)}.")
    return sentences


def gendered_words(text: str) -> frozenset[str]:
    """The words of a list of gendered word pairs (two columns with a tab), lower case."""
    return frozenset(w.strip(" '").lower() for w in re.split(r"[\t\n]", text) if w.strip())


def _members(member: str, kind: int, texts: dict[str, str], occupations: Occupations) -> list[Item]:
    file = _TEST_FILES[member, kind]
    items = []
    for number, sentence in enumerate(numbered_lines(texts[file.name], file.name), start=1):
        where = f"{file.name}:{number}"
        pair_id = f"{NAME}/type{kind}/{number:04}"
        items.append(make_item(pair_id, member, parse_marked(sentence, where), occupations, where))
    return items


def _pairs(pro: list[Item], anti: list[Item]) -> list[Pair]:
    return [make_pair(p.pair_id, p, a) for p, a in zip(pro, anti, strict=True)]
