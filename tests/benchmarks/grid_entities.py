"""What no error may touch, found again in the source files; imports nothing of sociolect."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Range = tuple[int, int]

PRONOUNS = ("he", "him", "his", "himself", "she", "her", "hers", "herself")
ARTICLE = re.compile(r"^(the|an?)\s+", re.IGNORECASE)
GROUPS = [
    "men",
    "women",
    "man",
    "woman",
    "white",
    "black",
    "asian",
    "hispanic",
    "christian",
    "muslim",
    "jewish",
]
BBQ_FILES = {"gender": "Gender_identity", "race": "Race_ethnicity", "religion": "Religion"}


def whole_words(phrases: Iterable[str], flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    longest = sorted({p for p in phrases if p}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", flags)


def ranges(pattern: re.Pattern[str], text: str) -> Iterator[Range]:
    yield from (match.span() for match in pattern.finditer(text))


def entities_of(benchmark: str, sources: Path) -> Callable[[Row], Iterable[Range]]:
    """For a benchmark, a function from a clean row to ranges of its input.

    winobias, occupations_mini: occupations (WinoBias' lists, the options) and gendered pronouns.
    bbq: both people as the options word them and as the source names them, and on the gender axis
    pronouns. degen: words for groups. winogrande: both candidates and the blank. mmlu: blanks,
    and numbers with what is joined to them.
    """
    if benchmark.startswith("bbq"):
        return _bbq(benchmark.split("_")[1], sources)
    if benchmark.startswith("degen"):
        groups = whole_words([*GROUPS, *PRONOUNS])
        return lambda row: ranges(groups, row["input"])
    return {"winogrande": _winogrande, "mmlu": _mmlu}.get(benchmark) or _occupations(sources)


def _occupations(sources: Path) -> Callable[[Row], Iterable[Range]]:
    names = [
        line.strip()
        for gender in ("male", "female")
        for line in (sources / f"winobias/{gender}_occupations.txt").read_text().splitlines()
    ]

    @cache
    def pattern(options: tuple[str, ...]) -> re.Pattern[str]:
        return whole_words([*names, *PRONOUNS, *(ARTICLE.sub("", o) for o in options)])

    return lambda row: ranges(pattern(tuple(row["options"])), row["input"])


def _bbq(axis: str, sources: Path) -> Callable[[Row], Iterable[Range]]:
    people: dict[int, list[str]] = {}
    with (sources / f"bbq/{BBQ_FILES[axis]}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            infos = record["answer_info"].values()
            named = [name for name, group in infos if group != "unknown"]
            people[record["example_id"]] = named
    more = PRONOUNS if axis == "gender" else ()

    @cache
    def patterns(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
        # "Banks" the name is not "banks" the noun.
        plain = [n for n in names if n == n.lower()]
        return whole_words([*plain, *more, "\0"]), whole_words([*names, "\0"], re.RegexFlag(0))

    def find(row: Row) -> Iterator[Range]:
        named = people[int(row["id"].rsplit("/", 1)[1])]
        heads = [ARTICLE.sub("", phrase) for phrase in (*row["options"], *named)]
        for pattern in patterns(tuple(heads)):
            yield from ranges(pattern, row["input"])

    return find


def _winogrande(row: Row) -> Iterator[Range]:
    candidates = whole_words([*(ARTICLE.sub("", o) for o in row["options"]), "_"])
    yield from ranges(candidates, row["input"])


def _mmlu(row: Row) -> Iterator[Range]:
    yield from ranges(re.compile(r"_{2,}|[^\s,.;:]*\d[^\s,.;:]*"), row["input"])
