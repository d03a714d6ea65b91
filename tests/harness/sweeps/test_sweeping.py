from __future__ import annotations

import json
import threading

import pytest
from scripted_cells import RESULTS

from sociolect.generators.errors import InvalidInputError, ResultsError
from sociolect.generators.locks import only_one
from sociolect.harness.sweeps.cells import cells_of
from sociolect.harness.sweeps.child import FAILED, MARKER
from sociolect.harness.sweeps.sweep_file import read_sweep
from sociolect.harness.sweeps.sweeping import earlier_failures, sweep

TASKS = "out: results\ntasks: [winobias_clean_ll, winobias_l2_30_ll]\n"


def second_fails(*, until: int) -> str:
    """A script whose run of the second task fails before this attempt."""
    return RESULTS + f"sys.exit(3 if 'l2_30' in sys.argv[2] and int(sys.argv[3]) < {until} else 0)"


@pytest.fixture
def wanted(write_sweep):
    return read_sweep(write_sweep(TASKS))


def test_finished_cells_are_not_run_again(wanted, scripted, capsys):
    scripted(RESULTS)
    first = sweep(wanted.out, cells_of(wanted))
    assert (first.finished, first.skipped, dict(first.failed)) == (2, 0, {})
    said = capsys.readouterr().err
    assert "sociolect: one/winobias_clean_ll: started\n" in said
    assert "· 2 finished" in said
    scripted("raise SystemExit('must not run')")
    again = sweep(wanted.out, cells_of(wanted))
    assert (again.finished, again.skipped, dict(again.failed)) == (0, 2, {})


def test_a_cell_that_fails_is_tried_again_and_does_not_stop_the_others(wanted, scripted):
    scripted(second_fails(until=2))
    assert sweep(wanted.out, cells_of(wanted), retries=1).finished == 2
    assert not (wanted.out / "one" / "winobias_l2_30_ll" / FAILED).exists()


def test_failed_cells_are_named_and_tried_by_the_next_call(wanted, scripted):
    cells = cells_of(wanted)[::-1]  # the one that fails comes first
    scripted(second_fails(until=9))
    ended = sweep(wanted.out, cells, retries=2)
    assert ended.finished == 1
    assert dict(ended.failed) == {"one/winobias_l2_30_ll": "exit code 3"}
    held = json.loads((wanted.out / "one" / "winobias_l2_30_ll" / FAILED).read_text())
    assert held["attempt"] == 3
    assert earlier_failures(wanted.out, cells) == {"one/winobias_l2_30_ll": "exit code 3"}
    scripted(RESULTS)
    assert (sweep(wanted.out, cells).finished, earlier_failures(wanted.out, cells)) == (1, {})


def test_other_arguments_are_refused_with_the_difference(wanted, scripted, write_sweep):
    scripted(RESULTS)
    sweep(wanted.out, cells_of(wanted))
    other = read_sweep(write_sweep(TASKS + "arguments: {limit: 5}\n"))
    with pytest.raises(ResultsError, match="arguments/limit: nothing there, 5 now"):
        sweep(wanted.out, cells_of(other))
    more = read_sweep(write_sweep(TASKS.replace("]", ", bbq_gender_clean_ll]")))
    assert sweep(wanted.out, cells_of(more)).skipped == 2  # tasks and models may be added


@pytest.mark.parametrize(
    "change",
    [
        [],
        {},
        {"documents": {"t": "4"}},
        {"documents": {"t": -1}},
        {"seconds": None},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"answering_seconds": -1.0},
        {"files": "run"},
    ],
)
def test_a_damaged_marker_is_no_finished_cell(wanted, scripted, change):
    scripted(RESULTS)
    sweep(wanted.out, cells_of(wanted))
    path = wanted.out / "one" / "winobias_clean_ll" / MARKER
    path.write_text(json.dumps({**json.loads(path.read_text()), **change} if change else change))
    with pytest.raises(ResultsError, match=r"delete .*winobias_clean_ll to run the cell again"):
        sweep(wanted.out, cells_of(wanted))


def test_models_that_changed_between_cells_are_told(wanted, scripted):
    scripted(RESULTS.replace('"model_files": {}', '"model_files": {"pretrained": sys.argv[2]}'))
    ended = sweep(wanted.out, cells_of(wanted))
    assert ended.warnings == (
        "files of the model changed between one/winobias_clean_ll and one/winobias_l2_30_ll",
    )


def test_models_that_changed_since_cells_that_this_call_leaves_out_are_told(wanted, scripted):
    every = cells_of(wanted)
    scripted(RESULTS)
    sweep(wanted.out, every[:1], every=every)
    scripted(RESULTS.replace('"model_files": {}', '"model_files": {"pretrained": 1}'))
    assert sweep(wanted.out, every[1:], every=every).warnings == (
        "files of the model changed between one/winobias_clean_ll and one/winobias_l2_30_ll",
    )


@pytest.mark.parametrize("kind", ["results", "samples"])
def test_a_cell_whose_results_are_gone_is_run_again(wanted, scripted, kind):
    samples = "(folder / 'samples_winobias_clean_ll_2026-01-01T00-00-00.jsonl').write_text('')\n"
    scripted(RESULTS + samples)
    sweep(wanted.out, cells_of(wanted))
    next((wanted.out / "one" / "winobias_clean_ll" / "run").glob(f"{kind}_*")).unlink()
    again = sweep(wanted.out, cells_of(wanted))
    assert (again.finished, again.skipped) == (1, 1)


def test_one_sweep_at_a_time_works_in_a_folder(wanted, scripted):
    scripted(RESULTS)
    wanted.out.mkdir()
    ended = []
    other = threading.Thread(target=lambda: ended.append(sweep(wanted.out, cells_of(wanted))))
    with only_one(wanted.out.resolve()):
        other.start()
        other.join(0.5)
        assert not ended
        assert not any(wanted.out.iterdir())
    other.join(20)
    assert ended[0].finished == 2


def test_a_folder_that_cannot_be_made_is_told(wanted, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInputError, match="cannot be used"):
        sweep(tmp_path / "file", cells_of(wanted))


def test_a_folder_of_a_cell_that_cannot_be_made_is_told(wanted):
    wanted.out.mkdir()
    (wanted.out / "one").touch()
    with pytest.raises(InvalidInputError, match="cannot be written"):
        sweep(wanted.out, cells_of(wanted))
