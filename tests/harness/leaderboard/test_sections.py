"""Which runs are of one model and one section, and which of several is shown."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from board_answers import noisy

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.leaderboard.board import Board
from sociolect.harness.leaderboard.models import models_of
from sociolect.harness.leaderboard.sections import version_order
from sociolect.harness.paired import pooled
from sociolect.harness.result_files import find_runs
from sociolect.harness.results import read_run
from sociolect.harness.store.stored import Store

Make = Callable[..., Board]
Write = Callable[..., Path]
LATER = "2026-03-05T05-06-07.123456"


def model(folder: str, **arguments: Any) -> dict[str, Any]:
    return {"folder": folder, "config": {"model_args": arguments}}


def test_arguments_that_change_no_answer_make_no_other_model(
    write_run: Write, store: Callable[[], Store]
) -> None:
    write_run(**model("a", pretrained="org/tiny", dtype="float32"))
    write_run(condition="l2-10", **model("b", pretrained="org/tiny", chunk=7, dtype="float32"))
    write_run(condition="l2-20", **model("c", pretrained="org/tiny", max_length=99))
    write_run(condition="l2-30", **model("d", pretrained="org/tiny", token="hf_abcdefghijklm"))
    found, notes = models_of(store().runs)
    assert [one.label for one in found.values()] == [
        "org/tiny (max_length 99)",
        "org/tiny (max_length none)",
    ]
    assert notes == []
    assert "hf_" not in str(found)


def test_mitigations_stand_under_their_base(write_run: Write, store: Callable[[], Store]) -> None:
    base = {"pretrained": "/models/base/tiny", "dtype": "float32"}
    write_run(**model("a", **base))
    write_run(**model("b", **base, peft="/data/adapters/one"))
    write_run(**model("c", **base, steering="/v/a.safetensors", beta=0.5, beta_scale="unit"))
    write_run(**model("d", **base, steering="/v/a.safetensors", beta=0.5), condition="l2-10")
    write_run(**model("e", **base, steering="/v/a.safetensors", beta=0), condition="l2-10")
    write_run(**model("f", **base, steer_path="/v/b.pt", peft="/data/adapters/two"))
    write_run(**model("g", pretrained="org/other", lora_local_path="/x/one", enable_lora=True))
    found, notes = models_of(store().runs)
    labels = {m.id: m.label for m in found.values()}
    shown = [(m.label, m.mitigation, labels.get(m.base, "")) for m in found.values()]
    assert shown == [
        ("org/other + adapter x/one", "adapter", ""),
        ("tiny", "", ""),
        ("tiny + adapter adapters/one", "adapter", "tiny"),
        ("tiny + adapter two + steered b.pt", "adapter + steering", "tiny"),
        ("tiny + steered a.safetensors β=0", "", ""),
        ("tiny + steered a.safetensors β=0.5", "steering", "tiny"),
    ]
    assert notes == [
        "tiny + steered a.safetensors β=0: was given a steering vector with a strength of 0, which "
        "changes nothing; it is shown as a model of its own and no mitigation."
    ]
    adapter = next(m for m in found.values() if m.mitigation == "adapter" and m.base)
    assert adapter.name == "/models/base/tiny"
    assert adapter.details["peft"] == "/data/adapters/one"


def test_the_base_is_the_one_that_was_run_in_the_same_way(
    write_run: Write, store: Callable[[], Store]
) -> None:
    write_run(**model("a", pretrained="org/tiny", max_length=5))
    write_run(**model("b", pretrained="org/tiny", max_length=6))
    write_run(**model("c", pretrained="org/tiny", max_length=6, peft="org/adapter"))
    write_run(**model("d", pretrained="org/tiny", max_length=7, peft="org/adapter"))
    found, _ = models_of(store().runs)
    bases = {m.details["max_length"]: m.base for m in found.values() if m.mitigation}
    labels = {m.id: m.label for m in found.values()}
    assert labels[bases["6"]] == "org/tiny (max_length 6)"
    assert bases["7"] == ""


def test_the_newest_of_two_runs_is_shown_and_the_other_is_told(
    write_run: Write, board: Make
) -> None:
    old = write_run(pairs=20, answer=noisy(1, 0.9, 0.6))
    new = write_run(pairs=20, answer=noisy(2, 0.9, 0.6), time=LATER)
    runs = [read_run(find_runs(path)[0]) for path in (old, new)]
    values = [pooled(run, "bias") for run in runs]
    assert None not in values
    gap = abs(values[0] - values[1])  # type: ignore[operator]
    unlike = sum(a.choices != b.choices for a, b in zip(*(r.records for r in runs), strict=True))
    found = board()
    (section,) = found.sections
    assert section.clean is not None
    run = found.runs[section.clean.run]
    assert run.time == LATER
    text = (
        f"differs by {gap:.2f} points (bias {values[1]:.2f} against {values[0]:.2f}), "
        f"{unlike} of 80 prompts answered otherwise."
    )
    assert run.replaced == (f"org__tiny/{old.name} of 2026-03-04T05-06-07.123456 {text}",)
    assert section.notes[0] == (
        f"winobias_clean_direct: 2 runs; shown is org__tiny/{new.name} of {LATER}; "
        + run.replaced[0]
    )


def test_another_seed_of_the_sampler_is_a_repetition(write_run: Write, board: Make) -> None:
    write_run(answer=noisy(1, 0.9, 0.6))
    write_run(answer=noisy(2, 0.9, 0.6), time=LATER, folder="b", config={"torch_seed": 7})
    (section,) = board().sections
    assert "2 runs" in section.notes[0]
    assert section.notes[0].endswith("prompts answered otherwise, torch_seed 7 and 1234.")


def test_runs_with_equal_answers_are_called_equal(write_run: Write, board: Make) -> None:
    write_run(answer=noisy(1, 0.9, 0.6))
    write_run(answer=noisy(1, 0.9, 0.6), time=LATER, folder="b", config={"torch_seed": 7})
    (section,) = board().sections
    assert section.notes[0].endswith(
        "_2026-03-04T05-06-07.123456.jsonl of 2026-03-04T05-06-07.123456 is equal."
    )


def test_a_whole_run_is_shown_though_a_limited_one_is_newer(write_run: Write, board: Make) -> None:
    whole = write_run(pairs=12, answer=noisy(1, 0.9, 0.6))
    counts = {"n-samples": {"winobias_clean_direct": {"original": 48, "effective": 8}}}
    write_run(pairs=2, answer=noisy(1, 0.9, 0.6), time=LATER, top=counts, folder="b")
    found = board()
    (section,) = found.sections
    assert section.clean is not None
    assert found.runs[section.clean.run].path == f"org__tiny/{whole.name}"
    assert "although it is not the newest (limited: 8 of 48 prompts asked)" in section.notes[0]
    assert "48 and 8 prompts asked" in section.notes[0]


def test_older_data_are_kept_apart_and_versions_are_no_text(write_run: Write, board: Make) -> None:
    for version in ("1.9.0", "1.10.0"):
        for condition in ("clean", "l2-30"):
            doc = {"data_version": version, "data_sha256": f"{condition}{version}".ljust(64, "x")}
            write_run(condition=condition, doc=doc, folder=f"v{version}")
    new, old = board().sections
    assert (new.data_version, new.older, new.asked) == ("1.10.0", False, "data 1.10.0")
    assert (old.data_version, old.older, old.asked) == ("1.9.0", True, "data 1.9.0")
    assert new.group != old.group
    assert version_order("1.10.0") > version_order("1.9.0") > version_order("1.9")


def test_local_data_are_kept_apart_but_other_error_seeds_go_with_published(
    write_run: Write, board: Make
) -> None:
    write_run()
    write_run(condition="l2-30", error_seed=4, folder="b", doc={"data_sha256": "4" * 64})
    local = {"local_data": True, "data_sha256": "5" * 64}
    write_run(condition="l2-10", folder="c", doc=local)
    published, own = board().sections
    assert (published.local_data, own.local_data) == (False, True)
    assert [one.condition for one in published.changes] == ["l2-30-seed4"]
    assert published.changes[0].row["error_seed"] == 4
    assert own.asked == "local data"


def test_rule_sets_and_decoding_are_sections_of_their_own(write_run: Write, board: Make) -> None:
    write_run()
    write_run(condition="l2-30", folder="b", doc={"rules": "careful", "local_data": True})
    warm = {"generation_kwargs": {"until": [], "do_sample": True, "temperature": 1.0}}
    write_run(folder="c", task_config=warm)
    asked = {one.asked for one in board().sections}
    assert asked == {
        "temperature 0.7, top_p 0.9, rules paper, published data",
        "temperature 0.7, top_p 0.9, rules careful, local data",
        "temperature 1.0, rules paper, published data",
    }


def test_the_command_is_made_up_where_none_was_recorded(write_run: Write, board: Make) -> None:
    counts = {"n-samples": {"winobias_clean_direct": {"original": 480, "effective": 48}}}
    options = model("a", pretrained="/models/a, b", token="hf_abcdefghijklm", max_length=9)
    options["config"]["torch_seed"] = 5
    write_run(**options, top={**counts, "chat_template": "t"})
    (run,) = board().runs.values()
    assert run.rebuilt
    assert "hf_" not in run.command
    words = shlex.split(run.command)
    assert words[:3] == ["lm_eval", "--include_path", "$(sociolect tasks-path)"]
    assert words[3:5] == ["--model", "hf"]
    assert '--include_path "$(sociolect tasks-path)" ' in run.command  # the shell fills it in
    arguments = '{"pretrained": "/models/a, b", "max_length": "9", "dtype": "float32"}'
    assert words[words.index("--model_args") + 1] == arguments
    assert words[words.index("--limit") + 1] == "48"
    assert words[words.index("--seed") + 1] == "0,1234,5,1234"
    assert "--apply_chat_template" in words
    assert run.path == "a/samples_winobias_clean_direct_2026-03-04T05-06-07.123456.jsonl"
    assert run.results == "a/results_2026-03-04T05-06-07.123456.json"


def test_a_run_of_our_backends_is_made_again_with_our_command(
    write_run: Write, board: Make
) -> None:
    options = {"model": "sociolect-hf", "model_args": {"pretrained": "org/$(x)"}}
    write_run(folder="a", config=options)
    (run,) = board().runs.values()
    assert run.rebuilt
    assert run.command.startswith("sociolect eval --model sociolect-hf --model_args 'pretrained=or")
    assert "include_path" not in run.command


def test_a_negative_number_of_processes_is_refused(write_run: Write, board: Make) -> None:
    write_run()
    with pytest.raises(InvalidInputError, match="-1 processes; give 1 or more, or 0"):
        board(processes=-1)


@pytest.mark.slow
def test_several_processes_give_the_same_leaderboard(write_run: Write, board: Make) -> None:
    for name in "ab":
        for condition in ("clean", "l2-10", "l2-30"):
            options = model(name, pretrained=f"org/{name}")
            write_run(condition=condition, answer=noisy(ord(name), 0.9, 0.5), **options)
    assert board(processes=2) == board(processes=1)
