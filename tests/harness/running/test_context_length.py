"""Prompts beyond the context of a model: counted, unanswered, and never cut."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from openai_stand_in import MODEL, serving

from sociolect.harness.context_length import LeftOut, guard
from sociolect.harness.context_rooms import LONGEST_FORM, Room, room_of
from sociolect.harness.evaluate import run
from sociolect.steering.backends.registry import create_model

pytest.importorskip("torch")

CONTEXT = 128
ANSWER = 8
SETTINGS = {"until": [], "do_sample": False, "max_gen_toks": ANSWER}
TASK = "fable_clean"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model whose context holds 128 tokens, each a byte; one more (BOS) comes first."""
    from tiny_models import tiny_llama

    folder = tmp_path_factory.mktemp("small") / "model"
    return tiny_llama(folder, max_position_embeddings=CONTEXT)


@pytest.fixture(params=["hf", "sociolect-hf"])
def model(request: Any, small: Path) -> Any:
    given = {"pretrained": str(small), "dtype": "float32"}
    return create_model(request.param, given, {"device": "cpu", "batch_size": 4})


def generations(*lengths: int, task: str = TASK) -> list[Any]:
    from lm_eval.api.instance import Instance

    return [
        Instance(
            request_type="generate_until",
            doc={"benchmark": "fable", "id": f"item-{number}", "order": 0},
            arguments=("x" * length, dict(SETTINGS)),
            idx=0,
            metadata=(task, number, 1),
        )
        for number, length in enumerate(lengths)
    ]


def scorings(*pairs: tuple[int, str], task: str = TASK) -> list[Any]:
    """Two options a document: one of the given length, and one of two characters."""
    from lm_eval.api.instance import Instance

    return [
        Instance("loglikelihood", {"id": f"item-{number}"}, ("x" * length, option), idx,
                 (task, number, 1))
        for number, (length, longer) in enumerate(pairs)
        for idx, option in enumerate((" A", longer))
    ]  # fmt: skip


def added(model: Any) -> int:
    """Tokens that the tokenizer of the model puts around a text."""
    return len(model.tok_encode("x")) - 1


def test_the_limit_is_where_lm_eval_begins_to_cut(model, caplog):
    fits = CONTEXT - ANSWER - added(model)
    plain = model.generate_until
    plain(generations(fits))
    assert "truncat" not in caplog.text.lower()
    plain(generations(fits + 1))
    cut = "truncat" in caplog.text.lower()
    left_out = LeftOut()
    guard(model, [TASK], left_out)
    found = model.generate_until(generations(fits, fits + 1))
    assert found[1] == ""
    assert left_out.found[TASK].ids == ("item-1",)
    assert cut


def test_scores_have_the_limit_of_lm_eval_too(model, caplog):
    fits = CONTEXT + 1 - 2 - added(model)
    model.loglikelihood(scorings((fits, " B")))
    assert "truncat" not in caplog.text.lower()
    model.loglikelihood(scorings((fits + 1, " B")))
    assert "truncat" in caplog.text.lower()
    left_out = LeftOut()
    guard(model, [TASK], left_out)
    found = model.loglikelihood(scorings((fits, " B"), (fits - 4, " LONGER"), (20, " B")))
    assert [math.isnan(score) for score, _ in found] == [False, False, True, True, False, False]
    assert left_out.found[TASK].ids == ("item-1",)
    assert left_out.found[TASK].requests == 1
    assert left_out.found[TASK].of == 3


def test_only_what_fits_is_asked_and_answered_as_ever(model):
    alone = model.generate_until(generations(20, 40))
    left_out = LeftOut()
    guard(model, [TASK], left_out)
    asked = generations(20, 500, 40)
    asked[2].doc["id"] = "item-1"
    assert model.generate_until(asked) == [alone[0], "", alone[1]]
    entry = left_out.found[TASK].record()
    assert entry == {
        "prompts": 1,
        "of": 3,
        "ids": ["item-1"],
        "longest": 500 + added(model) + ANSWER,
        "context": CONTEXT,
    }


def test_when_nothing_fits_nothing_is_asked(model, capsys):
    guard(model, [TASK], LeftOut())
    model.runner = None  # whatever would answer
    assert model.generate_until(generations(200, 300)) == ["", ""]
    said = capsys.readouterr().err
    assert "PROMPTS TOO LONG, 2 of 2" in said
    assert "item-0, item-1" in said


def test_tasks_of_others_are_left_to_lm_eval(model):
    left_out = LeftOut()
    guard(model, ["another"], left_out)
    (answer,) = model.generate_until(generations(200))
    assert isinstance(answer, str)
    assert left_out.found == {}


def test_what_fits_in_any_case_is_not_tokenised():
    def count(texts: Any) -> list[int]:
        counted.extend(texts)
        return [len(text) for text in texts]

    counted: list[str] = []
    room = Room(holds=100, scores=100, usual=8, count=count)
    sizes = room.generation(generations(50, 84, 85, 200))
    assert [len(text) for text in counted] == [85, 200]
    assert [tokens > held for tokens, held in sizes] == [False, False, False, True]
    umlauts = generations(1, 1)
    umlauts[0].arguments, umlauts[1].arguments = ("ü" * 2, SETTINGS), ("ü" * 3, SETTINGS)
    counted.clear()
    room.generation(umlauts)
    assert counted == ["ü" * 3]


def test_no_compatibility_form_is_longer_than_the_bound():
    import sys
    import unicodedata

    longest = max(len(unicodedata.normalize("NFKD", chr(i)).encode("utf-8", "surrogatepass"))
                  for i in range(sys.maxunicode + 1))  # fmt: skip
    assert longest == LONGEST_FORM


def test_unknown_backends_are_left_alone():
    assert room_of(create_model("dummy", {})) is None


def test_a_server_is_counted_by_what_it_says(small, tmp_path):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(small)
    with serving(decode=tokenizer.decode, context=CONTEXT, tokens=list) as server:
        given = {"model": MODEL, "base_url": server.completions, "tokenizer": str(small)}
        model = create_model(
            "local-completions", {**given, "tokenizer_backend": "huggingface", "answers": tmp_path}
        )
        fits = CONTEXT - ANSWER - added(model)
        left_out = LeftOut()
        guard(model, [TASK], left_out)
        assert model.generate_until(generations(fits, fits + 1)) == ["A", ""]
    assert server.asked == 1
    assert left_out.found[TASK].ids == ("item-1",)


def test_a_run_says_which_prompts_were_too_long(offline, small, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)
    task = "occupations_mini_clean_ll"
    command = [
        *("--model", "hf", "--model_args", f"pretrained={small},dtype=float32,max_length=150"),
        *("--tasks", task, "--device", "cpu", "--limit", "8"),
        *("--output_path", str(tmp_path), "--log_samples"),
    ]
    run(command)
    (path,) = tmp_path.rglob("sociolect_*.json")
    written = json.loads(path.read_text())
    entry = written["too_long"][task]
    (samples,) = tmp_path.rglob(f"samples_{task}_*.jsonl")
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    empty = [all(math.isnan(float(r[0][0])) for r in row["resps"]) for row in rows]
    assert 0 < entry["prompts"] == sum(empty) < 8 == entry["of"]
    assert entry["ids"] == list(
        dict.fromkeys(row["doc"]["id"] for row, out in zip(rows, empty, strict=True) if out)
    )
    (message,) = [m for m in written["messages"] if "TOO LONG" in m]
    assert message.removeprefix("warning: ") in capsys.readouterr().err
    (results,) = tmp_path.rglob("results_*.json")
    figures = json.loads(results.read_text())["results"][task]
    assert figures["unanswered,all"] == pytest.approx(100 * sum(empty) / 8)
