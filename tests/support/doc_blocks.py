"""Shell blocks of the documentation, and the commands in them.

Blocks fenced as `shell` are passed over: those of pages that make up a benchmark of their own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGES: tuple[Path, ...] = (REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md")))

_BLOCK = re.compile(
    r"^(?P<indent> *)(?:<!-- (?P<mark>runs) -->\n+ *)?"
    r"```(?:sh|bash)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*$", re.MULTILINE)
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_LEADING = frozenset({"do", "then", "else", "!", "export", "time"})


@dataclass(frozen=True, slots=True)
class Block:
    """One block of shell commands.

    Attributes:
        page: The file it stands in.
        line: Of the first command.
        mark: `runs` if it is executed, else empty.
    """

    page: Path
    line: int
    text: str
    mark: str

    @property
    def name(self) -> str:
        """Page and line."""
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """All blocks of a page."""
    text = page.read_text("utf-8")
    return [
        Block(page, text.count("\n", 0, m.start("text")) + 1, m["text"], m["mark"] or "")
        for m in _BLOCK.finditer(text)
    ]


def commands(page: Path) -> Iterator[tuple[str, list[str]]]:
    """The commands of a page: where each stands, and its words.

    Variables that a block of the page set are put in; comments and loops around them are gone.
    """
    variables: dict[str, str] = {}
    for block in blocks(page):
        for words in _statements(block.text):
            kept = [_filled(word, variables) for word in words]
            while kept and (kept[0] in _LEADING or _ASSIGNED.fullmatch(kept[0])):
                if assigned := _ASSIGNED.fullmatch(kept[0]):
                    variables[assigned[1]] = assigned[2]
                kept = kept[1:]
            if kept:
                yield block.name, kept


def _statements(text: str) -> Iterator[list[str]]:
    joined = _COMMENT.sub("", text).replace("\\\n", " ")
    lexer = shlex.shlex(joined, posix=True, punctuation_chars=";&|\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    words: list[str] = []
    for word in lexer:
        if set(word) <= set(";&|\n"):
            yield words
            words = []
        else:
            words.append(word)
    yield words


def _filled(word: str, variables: dict[str, str]) -> str:
    for name, value in variables.items():
        word = re.sub(rf"\$(?:{name}\b|{{{name}}})", lambda _, value=value: value, word)
    return word
