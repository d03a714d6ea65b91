from __future__ import annotations

import json

import pytest

from sociolect.generators.conditions import all_conditions
from sociolect.generators.errors import DataError
from sociolect.tasks import ceilings

NAMES = [c.config_name for c in all_conditions() if not c.is_noise]
REASON = "bbq_race l2det-30, input: 30% cannot be reached, the ceiling is 24.3% (every eligible)."


def manifest(unreachable=None, **entries):
    unreachable = {"l2det-30": REASON} if unreachable is None else unreachable
    return {
        "benchmark": "bbq_race",
        "algorithm_version": "1",
        "data_version": "1.0.0",
        "seed": 0,
        "rules": "paper",
        "noise_draws": "independent",
        "axis": "race",
        "sources": [],
        "dropped": [],
        "invalid_pairs": {},
        "toolchain": {},
        "configs": {name: {} for name in NAMES if name not in unreachable},
        "unreachable": unreachable,
        **entries,
    }


def test_the_ceiling_is_what_the_build_says():
    assert ceilings.ceilings_of(manifest()) == {"l2det-30": 24.3}
    assert ceilings.ceilings_of(manifest({})) == {}


def test_ceilings_are_in_the_order_of_the_conditions():
    found = ceilings.ceilings_of(manifest(dict.fromkeys(reversed(NAMES[1:]), REASON)))
    assert list(found) == NAMES[1:]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"seed": 1}, "this build of bbq_race has 1 and paper"),
        ({"rules": "careful"}, "has 0 and careful"),
        ({"configs": {}}, r"lacks 60 conditions, such as clean"),
        ({"unreachable": {"l2det-30": "no candidates"}}, "left out l2det-30 .* no candidates"),
    ],
)
def test_what_is_not_a_whole_published_build_is_refused(entries, message):
    with pytest.raises(DataError, match=message):
        ceilings.ceilings_of(manifest(**entries))


def test_recording_keeps_other_benchmarks(tmp_path):
    table, build = tmp_path / "cells.json", tmp_path / "bbq_race"
    others = {"winobias": {"data_version": "1.0.0", "ceilings": {"l2verb-30": 27.1}}}
    table.write_text(json.dumps(others | {"bbq_race": {"data_version": "0.9.0", "ceilings": {}}}))
    build.mkdir()
    (build / "manifest.json").write_text(json.dumps(manifest()))
    assert ceilings.record([build], table) == {"bbq_race": {"l2det-30": 24.3}}
    written = {"data_version": "1.0.0", "ceilings": {"l2det-30": 24.3}}
    assert json.loads(table.read_text()) == others | {"bbq_race": written}
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["bbq_race", "cells.json"]


def test_noise_has_no_ceiling_and_judges_have_none_at_all():
    built = {**manifest(), "benchmark": "fable", "configs": {"clean": {}}, "unreachable": {}}
    assert ceilings.ceilings_of(built) == {}
    with_noise = manifest()
    with_noise["configs"] |= {c.config_name: {} for c in all_conditions() if c.is_noise}
    assert ceilings.ceilings_of(with_noise) == {"l2det-30": 24.3}
