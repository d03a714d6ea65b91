"""The API reference: what is public says what it is, and pages are made without a warning."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from doc_blocks import REPOSITORY

DOCUMENTED = (
    REPOSITORY / "harness" / "compare.py",
    *sorted((REPOSITORY / "harness").glob("gate*.py")),
    *sorted((REPOSITORY / "harness" / "store").glob("*.py")),
    *sorted((REPOSITORY / "harness" / "leaderboard").glob("*.py")),
)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def undocumented(tree: ast.Module) -> Iterator[str]:
    """Public functions, classes and methods without a docstring, and the module itself."""
    if not ast.get_docstring(tree):
        yield "the module"
    for node in tree.body:
        if not isinstance(node, _DEFINITIONS) or node.name.startswith("_"):
            continue
        members = node.body if isinstance(node, ast.ClassDef) else []
        for one in (node, *members):
            if not isinstance(one, _DEFINITIONS) or one.name.startswith("_"):
                continue
            if not ast.get_docstring(one):
                yield f"{node.name}.{one.name}" if one is not node else node.name


@pytest.mark.parametrize("path", DOCUMENTED, ids=lambda path: path.stem)
def test_what_is_public_has_a_docstring(path: Path) -> None:
    assert not list(undocumented(ast.parse(path.read_text("utf-8"))))


def test_a_missing_docstring_is_found() -> None:
    tree = ast.parse('"""M."""\nclass A:\n    """A."""\n    def b(self): ...\ndef _c(): ...\n')
    assert list(undocumented(tree)) == ["A.b"]


@pytest.mark.slow
def test_pages_are_made_without_a_warning(tmp_path: Path) -> None:
    modules = ("sociolect.harness.compare", "sociolect.harness.store.stored")
    script = REPOSITORY / "scripts" / "api.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", script, "--out", tmp_path, *modules],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "sociolect" / "harness" / "compare.html").read_text("utf-8")
    assert "difference of differences" in page
    assert "sociolect/harness/compare.html" in (tmp_path / "index.html").read_text("utf-8")
