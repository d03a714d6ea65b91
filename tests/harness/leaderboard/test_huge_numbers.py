"""Numbers that no float holds, which JSON cannot say: wherever they stand, a page is made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sociolect.harness.exports import json_text
from sociolect.harness.leaderboard.board import Board
from sociolect.harness.leaderboard.exports import board_csv, board_json
from sociolect.harness.leaderboard.items import Shard, item_shards
from sociolect.harness.leaderboard.making import BoardOptions, make_board
from sociolect.harness.store.stored import Store

Write = Callable[..., Path]
HUGE = "1e999 without quotes"


@pytest.mark.parametrize(
    "options",
    [
        {"config": {"random_seed": HUGE}},
        {"config": {"model_args": {"pretrained": "org/tiny", "beta": HUGE, "max_length": HUGE}}},
        {"config": {"model_args": "pretrained=org/tiny,beta=1e999,max_length=-inf"}},
        {"task_config": {"generation_kwargs": {"temperature": HUGE, "top_p": float("nan")}}},
        {"task_config": {"metadata": {"version": 1, "seed": HUGE, "chosen": [HUGE]}}},
        {"top": {"system_instruction": HUGE, "chat_template": HUGE, "model_name": HUGE}},
        {"figures": {"bias,none": HUGE}},
        {"doc": {"n_tokens": HUGE, "error_rate": HUGE, "edits": [{"start": HUGE}]}},
        {"doc": {"data_sha256": HUGE}},
        {"doc": {"options": [HUGE, HUGE]}},
    ],
)
def test_numbers_that_no_float_holds_stop_nothing(
    write_run: Write, store: Callable[[], Store], options: dict[str, Any]
) -> None:
    for condition in ("clean", "l2-10"):
        path = write_run(condition=condition, pairs=2, **options)
        for file in path.parent.iterdir():
            text = file.read_text("utf-8").replace(f'"{HUGE}"', "1e999")
            file.write_text(text, "utf-8")
    record = path.parent / f"sociolect_{path.name[-32:-6]}.json"
    results = next(path.parent.glob("results_*")).name
    record.write_text(
        f'{{"results": "{results}", "model_files": {{"a": {{"b": 1e999}}}}}}', "utf-8"
    )
    made = make_board(read := store(), BoardOptions(rank_resamples=50, processes=1, progress=False))
    for text in (board_json(made), *(json_text(s.content) for s in shards_of(read, made))):
        json.loads(text, parse_constant=pytest.fail)
    assert "inf" not in board_csv(made)
    assert len(read.runs) + len(read.problems) >= 2


def shards_of(store: Store, board: Board) -> list[Shard]:
    return [one for subject in board.subjects for one in item_shards(store, board, subject, 5)]
