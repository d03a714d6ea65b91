from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import scripted_model
from scripted_model import ChatLM, ScriptedLM, reasoning

from sociolect.generators.errors import (
    DataError,
    InvalidInputError,
    ModelError,
    TrainingError,
)
from sociolect.steering.lora import prepare as module
from sociolect.steering.lora.items import chosen_ids, drawn_level
from sociolect.steering.lora.prepare import prepare
from sociolect.steering.lora.prepare_settings import Settings
from sociolect.steering.lora.targets import KEPT, REASONS, Limits
from sociolect.steering.lora.training_set import TrainingSet, read_training_set

IDENTITY = {"backend": "scripted", "arguments": {"seed": 0}}
BENCHMARK = scripted_model.benchmark()
IDS = [item.id for item in BENCHMARK.items]
FILL = " because it is what makes sense here, as far as anybody can tell from it. "


def make(
    out: Path,
    model: ScriptedLM | None = None,
    identity: Mapping[str, Any] = IDENTITY,
    **settings: Any,
) -> tuple[TrainingSet, bool]:
    return prepare(
        BENCHMARK,
        Settings(**{"items": 12, **settings}),
        out=out,
        load_model=lambda: model or ScriptedLM(),
        identity=identity,
    )


@pytest.fixture
def made(tmp_path: Path) -> TrainingSet:
    data, fresh = make(tmp_path / "data")
    assert fresh
    return data


def test_every_item_gives_a_prompt_in_both_orders(made: TrainingSet) -> None:
    ids = chosen_ids(IDS, 12, seed=0)
    for examples in (made.clean, made.errors):
        assert [(e.id, e.order) for e in examples] == [(i, o) for i in ids for o in (0, 1)]
    assert read_training_set(made.folder) == made


def test_prompts_differ_in_the_errors_alone(made: TrainingSet) -> None:
    for clean, errors in zip(made.clean, made.errors, strict=True):
        assert clean.completion == errors.completion
        assert (clean.level, clean.error_rate) == (0, 0.0)
        assert errors.level == drawn_level(errors.id, (5, 10, 20, 30), seed=0)
        assert (errors.prompt == clean.prompt) == (errors.error_rate == 0)
    changed = [e for e in made.errors if e.error_rate > 0]
    assert len(changed) > 12
    for first, second in zip(made.errors[::2], made.errors[1::2], strict=True):
        sentence = [line for line in first.prompt.split("\n") if line.startswith("Sentence: ")]
        assert sentence[0] in second.prompt.split("\n")
        assert (first.level, first.error_rate) == (second.level, second.error_rate)


def test_targets_are_cut_and_begin_as_generated(made: TrainingSet) -> None:
    for example in made.clean:
        assert example.completion.startswith(" In this sentence")
        assert example.completion.endswith(("\n\n\\boxed{A}", "\n\n\\boxed{B}"))
    letters = [e.completion[-2] for e in made.clean]
    assert all(a != b for a, b in zip(letters[::2], letters[1::2], strict=True))


def test_the_manifest_tells_how_it_was_made(made: TrainingSet) -> None:
    manifest = made.manifest
    assert manifest["prompts"] == {
        "asked": 24,
        "kept": 24,
        "dropped": dict.fromkeys(REASONS, 0),
    }
    assert manifest["completions"] == {
        "sampled": 72,
        "correct": 72,
        "wrong": 0,
        "unanswered": 0,
    }
    kept = manifest["kept"]
    assert (kept["items"], kept["by_order"]) == (12, {"0": 12, "1": 12})
    assert kept["by_completion"] == {"1": 24}
    assert kept["boxed_another_option_after_the_cut"] == 0
    pairs = zip(made.examples("clean"), made.examples("errors"), strict=True)
    assert kept["prompts_without_an_error"] == sum(a.prompt == b.prompt for a, b in pairs)
    assert sum(own["examples"] for own in kept["by_level"].values()) == 24
    assert kept["mean_error_rate"] == pytest.approx(manifest["error_rates"]["mean_error_rate"])
    assert manifest["error_rates"]["items"] == 12
    assert set(manifest["calibration"]) == {"5", "10", "20", "30"}
    settings = manifest["settings"]
    assert settings["generation"] == {
        "until": [],
        "do_sample": True,
        "temperature": 0.7,
        "top_p": 0.9,
        "max_gen_toks": 1024,
    }
    assert settings["limits"] == {"min_chars": 80, "max_chars": 4000, "max_repeated": 0.5}
    assert settings["model"] == IDENTITY
    assert {"spacy", "model_sha256"} <= set(settings["toolchain"])
    assert settings["sources"][0]["name"] == "winogrande/train_l.jsonl"


def by_number(answers: Callable[[int, int, str], str]) -> ScriptedLM:
    """Answers by (place of the item, sample, letter of the right option)."""
    place = {name: n for n, name in enumerate(chosen_ids(IDS, len(IDS), seed=0))}
    return ScriptedLM(lambda doc, sample, right: answers(place[doc["id"]], sample, right))


def test_every_prompt_has_one_fate_and_all_are_counted(tmp_path: Path) -> None:
    def answer(place: int, sample: int, right: str) -> str:
        wrong = "B" if right == "A" else "A"
        good = f"It is {right}{FILL}\\boxed{{{right}}}"
        return [
            good,
            "I do not know",
            f"\\boxed{{{wrong}}}",
            f"\\boxed{{{wrong}}} no: \\boxed{{{right}}} \\boxed{{{right}}}",
            f"\\boxed{{{right}}}",
            "word " * 900 + f"\\boxed{{{right}}}",
            f"The form \\boxed{{}}{FILL}\\boxed{{{right}}}",
            f"{FILL * 9}\\boxed{{{right}}}",
            [good, f"\\boxed{{{wrong}}}"][sample == 0],
            good + f" \\boxed{{{wrong}}} \\boxed{{{right}}}",
        ][place % 10]

    data, _ = make(tmp_path / "data", by_number(answer), items=10)
    assert data.manifest["prompts"] == {
        "asked": 20,
        "kept": 6,
        "dropped": {
            "no_answer": 2,
            "wrong": 2,
            "other_answer_first": 2,
            "not_closed": 0,
            "too_short": 2,
            "too_long": 2,
            "several_boxes": 2,
            "repetitive": 2,
        },
    }
    assert data.manifest["completions"] == {
        "sampled": 60,
        "correct": 46,
        "wrong": 8,
        "unanswered": 6,
    }
    kept = data.manifest["kept"]
    assert (kept["items"], kept["by_completion"]) == (3, {"1": 4, "2": 2})
    assert kept["boxed_another_option_after_the_cut"] == 2
    assert [e.id for e in data.clean[::2]] == [chosen_ids(IDS, 10, seed=0)[n] for n in (0, 8, 9)]


def test_counts_that_do_not_add_up_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REASONS", {r: t for r, t in REASONS.items() if r != "wrong"})
    wrong = ScriptedLM(lambda doc, sample, right: f"\\boxed{{{'B' if right == 'A' else 'A'}}}")
    with pytest.raises(AssertionError, match="one fate"):
        make(tmp_path / "data", wrong)
    assert list(tmp_path.iterdir()) == []


def test_a_smaller_set_is_the_start_of_a_larger_one(made: TrainingSet, tmp_path: Path) -> None:
    fewer, _ = make(tmp_path / "fewer", items=4)
    assert fewer.clean == made.clean[:8]
    assert fewer.errors == made.errors[:8]


def test_direct_targets_close_the_box(tmp_path: Path) -> None:
    settings = {"form": "direct", "limits": Limits.of("direct"), "max_tokens": 16}
    model = ScriptedLM(lambda doc, sample, right: f" {right}\n}}" if sample else "?}")
    with pytest.raises(TrainingError, match=r"24 \(the first line does not close the box\)"):
        make(tmp_path / "data", model, **settings)
    model = ScriptedLM(lambda doc, sample, right: f"{right}}} so" if sample else "?}")
    data, _ = make(tmp_path / "data", model, **settings)
    assert data.form == "direct"
    assert {e.completion for e in data.clean} == {"A}", "B}"}
    assert all(e.prompt.endswith("\\boxed{") for e in data.clean + data.errors)
    assert {request.task_name for request in model.asked} == {"winogrande_train_clean_direct"}


def test_the_chat_template_is_in_both_prompts(tmp_path: Path) -> None:
    data, _ = make(tmp_path / "data", ChatLM(), chat_template=True)
    for example in data.clean + data.errors:
        assert example.prompt.startswith("<user>")
        assert example.prompt.endswith("Answer:<assistant>")


def test_only_clean_prompts_are_asked(tmp_path: Path) -> None:
    model = ScriptedLM()
    data, _ = make(tmp_path / "data", model, completions=2)
    assert [request.args[0] for request in model.asked[::2]] == [e.prompt for e in data.clean]
    assert {request.task_name for request in model.asked} == {"winogrande_train_clean"}


def test_the_same_settings_find_the_set_there(made: TrainingSet) -> None:
    def never() -> Any:
        raise AssertionError("no model is needed")

    again, fresh = prepare(
        BENCHMARK, Settings(items=12), out=made.folder, load_model=never, identity=IDENTITY
    )
    assert (again, fresh) == (made, False)


def test_other_settings_are_refused_with_what_differs(made: TrainingSet) -> None:
    before = made.folder.joinpath("manifest.json").read_bytes()
    for change, message in (
        ({"limits": Limits(80, 3000, 0.5)}, r"limits\.max_chars 4000 there, 3000 here"),
        ({"temperature": 0.8}, r"generation\.temperature 0\.7 there, 0\.8 here"),
        ({"levels": (5, 10)}, r"levels \[5, 10, 20, 30\] there, \[5, 10\] here"),
        ({"identity": {**IDENTITY, "backend": "hf"}}, r'model\.backend "scripted" there, "hf"'),
    ):
        with pytest.raises(InvalidInputError, match=message):
            make(made.folder, **change)
    assert made.folder.joinpath("manifest.json").read_bytes() == before


def test_a_damaged_set_is_said_to_be_damaged(made: TrainingSet) -> None:
    made.folder.joinpath("errors.jsonl").write_text("")
    with pytest.raises(DataError, match=r"errors\.jsonl was changed.*Delete"):
        make(made.folder)


def test_what_is_no_training_set_is_kept(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InvalidInputError, match="not empty"):
        make(tmp_path)
    with pytest.raises(InvalidInputError, match="is a file"):
        make(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_set_that_another_process_made_meanwhile_is_taken(tmp_path: Path) -> None:
    out = tmp_path / "data"

    class Slow(ScriptedLM):
        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
            make(out)
            return super().generate_until(requests)

    data, fresh = make(out, Slow())
    assert not fresh
    assert data == read_training_set(out)


def test_nothing_kept_leaves_no_folder(tmp_path: Path) -> None:
    short = ScriptedLM(lambda doc, sample, right: f"\\boxed{{{right}}}")
    with pytest.raises(TrainingError, match=r"24 prompts.*24 \(too short\).*--min-chars"):
        make(tmp_path / "data", short)
    assert list(tmp_path.iterdir()) == []


def test_every_reason_has_advice() -> None:
    assert set(module._ADVICE) == set(REASONS)
    assert KEPT not in REASONS


def test_errors_come_before_the_model_is_asked(tmp_path: Path) -> None:
    model = ScriptedLM(max_length=1024 + 10)
    with pytest.raises(ModelError, match="--max-tokens"):
        make(tmp_path / "data", model)
    with pytest.raises(ModelError, match="chat template"):
        make(tmp_path / "data", model, chat_template=True)
    with pytest.raises(InvalidInputError, match="1 to 24, not 25"):
        make(tmp_path / "data", model, items=25)
    assert model.asked == []
    model._world_size = 2
    with pytest.raises(ModelError, match="one process"):
        make(tmp_path / "data", model)


def test_two_runs_write_the_same_bytes(made: TrainingSet, tmp_path: Path) -> None:
    again, _ = make(tmp_path / "again", ScriptedLM(reasoning))
    for name in ("manifest.json", "clean.jsonl", "errors.jsonl"):
        assert (again.folder / name).read_bytes() == (made.folder / name).read_bytes()
    assert json.loads((again.folder / "manifest.json").read_text()) == again.manifest
