from __future__ import annotations

import pytest
from scripted_cells import RESULTS

from sociolect.harness.sweeps.cells import cells_of
from sociolect.harness.sweeps.estimate import Estimate
from sociolect.harness.sweeps.measuring import measure
from sociolect.harness.sweeps.sweep_file import read_sweep

TEXT = "out: results\ntasks: [winobias_clean_ll, winobias_l2_30_ll]\narguments: {limit: 50}\n"
MODELS = "models:\n  - {name: one, model: dummy}\n  - {name: two, model: dummy, model_args: {a: b}}"
SLOW = "import time; time.sleep(0.4)\n"


def test_every_model_without_a_finished_cell_is_measured_once(write_sweep, scripted, capfd):
    scripted(SLOW + RESULTS + "print('asked', sys.argv[2])")
    wanted = read_sweep(write_sweep(TEXT, models=MODELS))
    cells = cells_of(wanted)
    estimate = Estimate()
    assert measure(wanted.out, cells, {"one/winobias_clean_ll": {}}, 4, estimate) == []
    assert estimate.seconds(cells[0].asked(), {"winobias_clean_ll": 400}) is None
    # Four documents took 0.4 s and the start of Python.
    expected = estimate.seconds(cells[2].asked(), {"winobias_clean_ll": 400})
    assert expected is not None
    assert 40 < expected < 400
    assert list(wanted.out.iterdir()) == []


def test_what_could_not_be_measured_is_told(write_sweep, scripted):
    scripted("raise SystemExit('no memory')")
    wanted = read_sweep(write_sweep(TEXT))
    estimate = Estimate()
    said = measure(wanted.out, cells_of(wanted), {}, 4, estimate)
    assert said == ["one was not measured: exit code 1: no memory"]
    assert estimate.seconds(cells_of(wanted)[0].asked(), {"winobias_clean_ll": 4}) is None


def test_a_part_of_the_first_task_is_asked(write_sweep, monkeypatch, scripted):
    from sociolect.harness.sweeps import measuring

    asked = []

    def run_job(job, tick):
        asked.append(job)
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "run_job", run_job)
    wanted = read_sweep(write_sweep(TEXT.replace("[w", "[[w").replace("ll]", "ll]]")))
    with pytest.raises(KeyboardInterrupt):
        measure(wanted.out, cells_of(wanted), {}, 4, Estimate())
    (job,) = asked
    assert job.asked["tasks"] == ["winobias_clean_ll"]
    assert job.line[job.line.index("--limit") + 1] == "4"
