"""Any mix of changes, read with an index, gives what is read without one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sociolect.harness.store.index import read_store
from sociolect.harness.store.loading import load_run

KINDS = ("add", "delete", "modify", "truncate", "results", "restore", "damage", "kill")
changes = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 3), st.integers(0, 2)), max_size=5
)


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(changes, min_size=1, max_size=3))
def test_a_warm_reading_is_a_cold_one(
    write_run: object, tmp_path: Path, steps: Sequence[Sequence[tuple[str, int, int]]]
) -> None:
    assert callable(write_run)
    root = tmp_path / "out"
    shutil.rmtree(root, ignore_errors=True)
    for number in range(3):
        write_run(root / str(number), pairs=1 + number)
    for step in steps:
        for kind, which, how in step:
            if kind == "add":
                write_run(root / str(which), pairs=2, form=("direct", "reason", "ll")[how])
            else:
                change(root, kind, which)
        warm = read_store(root, progress=False)
        cold = read_store(root, index=tmp_path / "cold", progress=False)
        assert replace(warm, index=cold.index, read=cold.read) == cold
        for run in warm.runs:
            assert load_run(warm, run) == load_run(cold, run)
        assert read_store(root, progress=False).read == 0
        shutil.rmtree(tmp_path / "cold", ignore_errors=True)


def change(root: Path, kind: str, which: int) -> None:
    """One change of one file, if it is there."""
    if kind in ("damage", "kill"):
        # Of a call that was killed there are records without a table.
        pattern = "runs.parquet" if kind == "kill" else "runs/*.parquet"
        found = sorted((root / ".sociolect-index").glob(pattern))
    else:
        pattern = "results_*.json" if kind == "results" else "samples_*.jsonl"
        found = sorted(root.glob(f"{which}/**/{pattern}"))
    for path in found[:1]:
        if kind in ("delete", "kill", "results"):
            path.unlink()
        elif kind in ("truncate", "damage"):
            path.write_bytes(path.read_bytes()[:-30])
        elif kind == "modify":
            path.write_bytes(path.read_bytes().replace(b"met", b"helped"))
        else:
            path.write_bytes(path.read_bytes() + b"\n")
