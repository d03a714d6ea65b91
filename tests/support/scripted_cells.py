"""What stands in for a run of `sociolect eval` in the tests of sweeps."""

from __future__ import annotations

RESULTS = """
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1]) / "run"
folder.mkdir(parents=True, exist_ok=True)
(folder / "results_2026-01-01T00-00-00.json").write_text(
    json.dumps({"n-samples": {"winobias_clean_ll": {"original": 9, "effective": 4}}}))
(folder / "sociolect_2026-01-01T00-00-00.json").write_text(json.dumps({
    "results": "results_2026-01-01T00-00-00.json", "sociolect": "1", "packages": {"torch": "2"},
    "model_files": {}, "tasks": {"winobias_clean_ll": {"data_sha256": "ab"}}}))
"""
"""A run that ends well; it is given the folder of its cell."""
