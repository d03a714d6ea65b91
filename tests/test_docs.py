"""What the documentation says exists: commands, options, tasks, files, pages, anchors."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
from doc_blocks import PAGES, REPOSITORY, blocks, commands

from sociolect.generators.errors import UnknownNameError
from sociolect.harness.cli import app
from sociolect.harness.evaluate import build_parser
from sociolect.tasks.listing import find_tasks

_OURS = re.compile(r"(?:recipes|scripts|docs|tests|generators|harness|tasks|steering)/[\w./-]+")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
_MORE = ("…", "...")
"""Stand for arguments that the text has named before."""
_FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


@cache
def _root() -> Any:
    return typer.main.get_command(app)


def check_command(words: list[str]) -> str:
    """What is wrong with a command, empty if nothing is."""
    if words[0] == "lm_eval":
        return check_eval([word for word in words[1:] if word != "run"])
    if words[1:2] == ["eval"]:
        return check_eval(words[2:])
    command, context, rest = _root(), None, words[1:]
    while hasattr(command, "commands"):
        context = command.context_class(command, info_name=command.name, parent=context)
        if not rest or rest[0] not in command.commands:
            return "" if rest[:1] == ["--help"] else f"no command {rest[:1]}"
        command, rest = command.commands[rest[0]], rest[1:]
    context = command.context_class(command, info_name=command.name, parent=context)
    try:
        command.make_parser(context).parse_args(args=list(rest))
    except Exception as error:  # click's own classes are private to typer
        return f"{type(error).__name__}: {error}"
    return check_tasks(rest) if words[1] == "tasks" and "--tags" not in rest else ""


def check_eval(words: list[str]) -> str:
    """The same of the arguments of lm_eval and of our own."""
    given = [
        re.sub(r"\$\w+", "1", word)  # the variable of a loop
        for before, word in zip(["", *words], words, strict=False)
        if word not in _MORE or before.startswith("-")
    ]
    try:
        known, unknown = build_parser().parse_known_args(given)
    except SystemExit:
        return "refused by the parser of eval"
    if odd := [word for word in unknown if word.startswith("-")]:
        return f"no option {odd}"
    names = [known.tasks] if isinstance(known.tasks, str) else known.tasks or []
    return check_tasks([name for word in names for name in word.split(",") if name])


def check_tasks(names: list[str]) -> str:
    """The same of names of tasks, tags and patterns."""
    try:
        find_tasks([name for name in names if name not in _MORE] or ["aae"])
    except UnknownNameError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist(page: Path) -> None:
    wrong = [
        f"{where}: {' '.join(words)}: {problem}"
        for where, words in commands(page)
        if words[0] in ("sociolect", "lm_eval") and (problem := check_command(words))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_targets_exist(page: Path) -> None:
    targets = re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE)
    wrong = []
    for where, words in commands(page):
        named = [name for word in words for name in _OURS.findall(word)]
        if words[0] in ("python", "pytest", "sociolect", "cat", "git"):
            made = words[0] == "sociolect" and words[1] != "eval"
            named = [] if made else named
            wrong += [f"{where}: {name}" for name in named if not (REPOSITORY / name).exists()]
        if words[0] == "make" and words[1] not in targets:
            wrong.append(f"{where}: make {words[1]}")
    assert not wrong, "\n".join(wrong)


@cache
def anchors(page: Path) -> frozenset[str]:
    """Of the headings, as GitHub makes them."""
    text = _FENCED.sub("", page.read_text("utf-8"))
    heads = re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)
    named = re.findall(r'<a (?:id|name)="([^"]+)"', text)
    slugs = [re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads]
    return frozenset([*slugs, *named])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    wrong = []
    for target, anchor in _LINK.findall(_FENCED.sub("", page.read_text("utf-8"))):
        found = (page.parent / target).resolve() if target else page
        if not found.exists() or (anchor and anchor not in anchors(found)):
            wrong.append(f"{target}#{anchor}")
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("sociolect compar out", "no command"),
        ("sociolect compare out --agianst out2", "No such option"),
        ("sociolect dialect reprot out", "no command"),
        ("sociolect eval --task_s winobias_clean", "no option"),
        ("sociolect eval --tasks winobias_l2_31", "winobias_l2_31"),
        ("sociolect tasks winobias_l3", "winobias_l3"),
        ("lm_eval run --tasks winobias_clean --nonsense 1", "no option"),
    ],
)
def test_wrong_commands_are_found(command: str, problem: str) -> None:
    assert problem.lower() in check_command(command.split()).lower()


def test_blocks_are_read(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A\n\n<!-- runs -->\n```sh\nR=recipes/x  # a word\nfor i in 1 2; do\n"
        "  A=1 sociolect eval --config $R/a.yaml \\\n    --limit 4; done\n```\n\n"
        "```bash\nsociolect tasks 'a b' | wc\n```\n",
        "utf-8",
    )
    assert [(block.line, block.mark) for block in blocks(page)] == [(5, "runs"), (12, "")]
    found = [words for _, words in commands(page) if words[0] == "sociolect"]
    assert found == [
        ["sociolect", "eval", "--config", "recipes/x/a.yaml", "--limit", "4"],
        ["sociolect", "tasks", "a b"],
    ]
