"""lm_eval's own `--model vllm`, unpatched: through its command, and with an adapter through ours.

Three forms run both ways, and the cloze form once more with transformers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from running_vllm import (
    ENGINE,
    SEVEN,
    SHARE_OF_MEMORY,
    Answers,
    answers_of,
    command,
    run,
)

pytestmark = [pytest.mark.vllm, pytest.mark.slow]

FORMS = ("occupations_mini_clean", "occupations_mini_clean_direct", "occupations_mini_clean_ll")
REASONING, DIRECT, CLOZE = FORMS
DOCS = {REASONING: [0, 1], DIRECT: [0, 1], CLOZE: list(range(8))}
ASKED = ["--gen_kwargs", "max_gen_toks=12", "--batch_size", "auto", "--log_samples"]


@pytest.fixture(scope="module")
def ran(
    small_model: Path, adapter: Path, built_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Folders of results: `base` and `adapter` with vLLM, `hf` with transformers."""
    out = tmp_path_factory.mktemp("results")
    model = {"pretrained": str(small_model), **ENGINE, **SHARE_OF_MEMORY}
    # Without the list of modules vLLM adapts the output head, too, and on a CPU cannot score.
    with_adapter = {"lora_local_path": str(adapter), "lora_target_modules": SEVEN}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOCIOLECT_DATA", str(built_data))
        place = run(command("sociolect", "tasks-path")).stdout.strip()
        stock = command("lm_eval", "run", "--include_path", place)
        ours = command("sociolect", "eval")

        def score(
            start: list[str], model: str, arguments: dict[str, Any], name: str, *tasks: str
        ) -> None:
            given = ["--model", model, "--model_args", json.dumps(arguments)]
            docs = json.dumps({name: DOCS[name] for name in ",".join(tasks).split(",")})
            given += ["--output_path", str(out / name), "--samples", docs]
            run([*start, *given, *ASKED, "--tasks", *tasks])

        score(stock, "vllm", model, "base", ",".join(FORMS))
        score(ours, "vllm", model | with_adapter, "adapter", *FORMS)
        plain = {"pretrained": str(small_model), "dtype": "float32"}
        score([*ours, "--device", "cpu"], "hf", plain, "hf", CLOZE)
    return {folder.name: folder for folder in out.iterdir()}


def scores(answers: Answers) -> dict[tuple[str, int], list[float]]:
    """Log-likelihoods of the options, from what lm_eval logs: [[score, greedy]] an option."""
    return {who: [float(option[0][0]) for option in given] for who, given in answers.items()}


@pytest.mark.parametrize("route", ["base", "adapter"])
def test_every_form_has_all_its_answers(ran: dict[str, Path], route: str) -> None:
    for task in (REASONING, DIRECT):
        answers = answers_of(ran[route], task)
        assert len(answers) == 2
        assert all(len(given) == 1 and len(given[0]) == 5 for given in answers.values())
    scored = answers_of(ran[route], CLOZE)
    assert len(scored) == 8
    assert all(len(options) == 2 for options in scored.values())


def test_cloze_scores_are_those_of_transformers(ran: dict[str, Path]) -> None:
    with_vllm, with_hf = (scores(answers_of(ran[name], CLOZE)) for name in ("base", "hf"))
    assert with_vllm.keys() == with_hf.keys()
    for who, options in with_vllm.items():
        assert options == pytest.approx(with_hf[who], abs=1e-3)
        assert options.index(max(options)) == with_hf[who].index(max(with_hf[who]))


@pytest.mark.parametrize("task", FORMS)
def test_an_adapter_changes_the_answers(ran: dict[str, Path], task: str) -> None:
    base, adapted = (answers_of(ran[name], task) for name in ("base", "adapter"))
    assert base.keys() == adapted.keys()
    changed = [who for who in base if base[who] != adapted[who]]
    assert len(changed) >= len(base) * 3 / 4
