"""After a run, the files of its answers are whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import ResultsError
from sociolect.harness.samples_written import check_samples

TIME = "2026-01-02T03-04-05.678"
FILTERS = {"filter_list": [{"name": "a"}, {"name": "b"}]}


def run_of(config: dict[str, Any]) -> dict[str, Any]:
    return {"configs": {"t": config}, "n-samples": {"t": {"original": 9, "effective": 2}}}


@pytest.mark.parametrize(("config", "lines"), [({}, 2), (FILTERS, 4)])
def test_whole(tmp_path: Path, config: dict[str, Any], lines: int) -> None:
    (tmp_path / f"samples_t_{TIME}.jsonl").write_text("{}\n" * lines, "utf-8")
    check_samples(run_of(config), tmp_path / f"results_{TIME}.json")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "No such file"),
        ("", "0 lines of 2"),
        ("{}\n", "1 lines of 2"),
        ("{}\n{", "ends within line 2 of 2"),
    ],
)
def test_cut_by_a_full_disk(tmp_path: Path, content: str | None, problem: str) -> None:
    path = tmp_path / f"samples_t_{TIME}.jsonl"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(ResultsError, match=problem) as caught:
        check_samples(run_of({}), tmp_path / f"run_{TIME}.json", keeps_answers=True)
    assert str(path) in str(caught.value)
    assert "answers are kept: free space" in str(caught.value)
    with pytest.raises(ResultsError, match="run it again"):
        check_samples(run_of({}), tmp_path / f"run_{TIME}.json")
