from __future__ import annotations

import json

import pytest

from sociolect.generators.conditions import all_conditions
from sociolect.generators.errors import DataError
from sociolect.generators.manifest import read_manifest

WHOLE = {
    "benchmark": "bbq_race",
    "axis": "race",
    "data_version": "1.0.0",
    "algorithm_version": "1",
    "rules": "paper",
    "noise_draws": "independent",
    "seed": 0,
    "sources": [{"name": "bbq/a.jsonl", "sha256": "0" * 64, "url": ""}],
    "dropped": [{"where": "bbq/a.jsonl:3", "reason": "no target"}],
    "toolchain": {"spacy": "3.8.0"},
    "unreachable": {},
    "invalid_pairs": {},
    "configs": {"clean": {"rows": 3}},
}


def written(folder, manifest):
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_a_whole_manifest_is_read(tmp_path):
    assert read_manifest(written(tmp_path, WHOLE)) == WHOLE


@pytest.mark.parametrize("key", sorted(WHOLE))
def test_every_key_is_needed(tmp_path, key):
    folder = written(tmp_path, {k: v for k, v in WHOLE.items() if k != key})
    with pytest.raises(DataError, match=f"no {key}"):
        read_manifest(folder)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("benchmark", None),
        ("seed", "0"),
        ("seed", True),
        ("sources", None),
        ("sources", 3),
        ("sources", [{"name": None, "sha256": ""}]),
        ("sources", [{"name": ["a"], "sha256": ""}]),
        ("dropped", ["a line"]),
        ("configs", {"l2-30": None}),
        ("configs", []),
        ("unreachable", None),
        ("unreachable", ["l2-30"]),
        ("toolchain", {"spacy": 3}),
        ("invalid_pairs", {"p": None}),
    ],
)
def test_values_of_another_type_are_refused(tmp_path, key, value):
    with pytest.raises(DataError, match=f"{key} is"):
        read_manifest(written(tmp_path, WHOLE | {key: value}))


@pytest.mark.parametrize("content", ["", "{", "[]", "3", "null", "[" * 100_000])
def test_what_is_no_table_is_refused(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(DataError):
        read_manifest(tmp_path)


def test_configs_come_in_the_order_of_the_grid(tmp_path):
    names = [c.config_name for c in all_conditions()]
    table = {name: {} for name in ["extra", *sorted(names)]}
    read = read_manifest(written(tmp_path, WHOLE | {"configs": table}))
    assert list(read["configs"]) == [*names, "extra"]
