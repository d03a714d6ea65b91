"""Blocks of the documentation that are marked `<!-- runs -->` do run, on runs made by hand.

They run one after the other in a new folder that holds what the pages speak of:

* `released`, `candidate`: two models on WinoBias, clean and with errors; the second has more bias
  at 30 %.
* `results`: both of them, in one folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from doc_blocks import PAGES, REPOSITORY, Block, blocks

Write = Callable[..., Path]

_MODELS = {"released": ("org/model-1.0", 12, 16), "candidate": ("org/model-1.1", 12, 24)}
"""Name, and wrong answers to anti-stereotypical sentences per cent: clean, with 30 % errors."""
_SECONDS = 300
"""After which a block has hung."""

MARKED = [block for page in PAGES for block in blocks(page) if block.mark]


def _answer(share: int, salt: int) -> Callable[[int, str, int, int], int]:
    """Wrong on the same pairs under every share, and on more of them under a larger one."""

    def answer(pair: int, member: str, order: int, sample: int) -> int:
        draw = (pair * 7919 + sample * 104729 + salt * 31) % 100
        return int(member == "anti" and draw < share)

    return answer


def prepare(block: Block, write_run: Write, folder: Path) -> None:
    """Write what a block speaks of into the folder in which it will run."""
    folder.mkdir()
    for number, (side, (model, clean, errored)) in enumerate(_MODELS.items()):
        shares = {"clean": clean, "l2-10": clean + 1, "l2-30": errored}
        for root in (name for name in (side, "results") if name in block.text.split()):
            for condition, share in shares.items():
                write_run(
                    root=folder / root,
                    folder=model.replace("/", "__"),
                    condition=condition,
                    pairs=200,
                    answer=_answer(share, number),
                    config={"model_args": {"pretrained": model, "dtype": "float32"}},
                    top={"model_name": model},
                )


def run(block: Block, folder: Path) -> None:
    """Run a block in bash; it fails where one of its commands does."""
    environ = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "COLUMNS": "120",
        "REPOSITORY": str(REPOSITORY),
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{block.name}\n{done.stdout}\n{done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize("block", MARKED, ids=lambda block: block.name)
def test_marked_blocks_run(block: Block, write_run: Write, tmp_path: Path) -> None:
    prepare(block, write_run, tmp_path / "work")
    run(block, tmp_path / "work")


def test_a_failing_block_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"page.md:1"):
        run(Block(Path("page.md"), 1, "false\ntrue\n", "runs"), tmp_path)


def test_every_page_of_a_way_has_a_block_that_runs() -> None:
    pages = {block.page.name for block in MARKED}
    assert {
        "adding_a_benchmark.md",
        "adding_an_error_type.md",
        "dialect.md",
        "gate.md",
        "index.md",
        "leaderboard.md",
        "reproducing.md",
    } <= pages
