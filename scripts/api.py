"""The API reference, from the docstrings: `python scripts/api.py --out build/api [MODULE…]`.

Modules of the command line, of tests of other environments (vLLM) and private ones are left out;
a module whose packages are not installed is named and left out, too.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import pkgutil
import sys
import warnings
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import pdoc
import pdoc.render

ROOT = "sociolect"
PACKAGES = ("generators", "tasks", "harness", "steering")
"""What is documented, in the order in which the code builds on one another."""
LEFT_OUT = (
    "sociolect.harness.commands",
    "sociolect.harness.cli",
    "sociolect.steering.backends.vllm",
    "sociolect.tasks.evaluate_modules",
)
"""With everything below them."""


def modules() -> Iterator[str]:
    """Every public module with code of ours, by name; nothing but packages is imported."""
    for name in PACKAGES:
        yield from _below(f"{ROOT}.{name}")


def _below(name: str) -> Iterator[str]:
    if name in LEFT_OUT or name.rpartition(".")[2].startswith("_"):
        return
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:  # a folder of task files
        return
    yield name
    for module in pkgutil.iter_modules(spec.submodule_search_locations or []):
        yield from _below(f"{name}.{module.name}")


def importable(names: Iterable[str]) -> Iterator[str]:
    """Those of some modules that can be imported here; the others are named on standard error."""
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as error:
            print(f"left out: {name} ({error})", file=sys.stderr)
        else:
            yield name


class Page(pdoc.doc.Module):
    """A module that lists those modules in it which are documented, and imports no other."""

    written: ClassVar[dict[str, Page]] = {}

    @cached_property
    def submodules(self) -> list[pdoc.doc.Module]:
        """The documented modules directly below this one."""
        inside = f"{self.modulename}."
        return [
            page
            for name, page in self.written.items()
            if name.startswith(inside) and "." not in name.removeprefix(inside)
        ]


def write(names: Iterable[str], out: Path) -> int:
    """Write the pages of some modules.

    Returns:
        How many modules.
    """
    found = sorted(set(importable(names)))
    pdoc.render.configure(docformat="google", show_source=False, search=True)
    pages = Page.written
    pages |= {name: Page(importlib.import_module(name)) for name in found}
    for name, page in pages.items():
        target = out.joinpath(*name.split(".")).with_suffix(".html")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(pdoc.render.html_module(page, all_modules=pages), "utf-8")
    (out / "index.html").write_text(pdoc.render.html_index(pages), "utf-8")
    (out / "search.js").write_text(pdoc.render.search_index(pages), "utf-8")
    return len(found)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/api"))
    parser.add_argument("modules", nargs="*", help="default: all")
    chosen = parser.parse_args()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning)  # of packages that are used
        # pdoc looks for the types of a NamedTuple in a module that does not exist; it shows them.
        warnings.filterwarnings("ignore", message="Error parsing type annotation")
        count = write(chosen.modules or list(modules()), chosen.out)
    print(f"wrote {count} modules to {chosen.out / 'index.html'}")


if __name__ == "__main__":
    main()
