"""A sweep of a model with an adapter: what is held against what."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tiny_models import tiny_llama

from sociolect.harness.dialect.methods import Method
from sociolect.harness.steering import sweep
from sociolect.harness.steering.sweep_report import write
from sociolect.harness.steering.sweep_settings import SweepSettings
from sociolect.tasks.dialect.documents import clear_memo

from .sweep_inputs import identity, write_fit, write_pairs


def adapter(model: Path, folder: Path) -> Path:
    """A random adapter that changes what the model says."""
    peft = pytest.importorskip("peft")
    import torch
    from transformers import LlamaForCausalLM

    config = peft.LoraConfig(r=2, target_modules=["q_proj", "down_proj"], init_lora_weights=False)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        made = peft.get_peft_model(LlamaForCausalLM.from_pretrained(model), config)
    made.save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_base_is_the_adapter_unsteered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch.utils.collect_env

    clear_memo()
    # What lm_eval writes of the machine takes it a second or two for each run.
    monkeypatch.setattr(torch.utils.collect_env, "get_pretty_env_info", str)
    model = tiny_llama(tmp_path / "model")
    adapted = str(adapter(model, tmp_path / "adapter"))
    asked = SweepSettings(
        fit=write_fit(tmp_path / "fit", identity(model)),
        pairs=write_pairs(tmp_path / "pairs"),
        out=tmp_path / "out",
        model_args={"pretrained": str(model), "peft": adapted, "dtype": "float32"},
        strengths=(1.0,),
        scale="residual",
        tasks=("aae_continuation",),
        controls="none",
        method=Method(resamples=200, permutations=99),
    )
    found = sweep.run(asked)
    base = found.evaluation.base.audited.system
    assert (base.adapter, base.steering, base.prompted) == (adapted, (), False)
    assert found.steered.audited.system.adapter == adapted
    assert found.steered.aae_ratio.value not in (None, 1.0)
    assert set(found.facts["model"]["files"]) == {"peft", "pretrained"}
    write(found)
    with (asked.out / "sweep.csv").open(newline="") as file:
        lp = {row["system"]: row for row in csv.DictReader(file) if row["measure"] == "lp_sum"}
    assert lp["base"]["value"] != lp["vector"]["value"]
    (results,) = (asked.out / "runs" / "evaluation" / "base").rglob("results_*.json")
    given = json.loads(results.read_text())["config"]["model_args"]
    assert given["peft"] == adapted
    assert not any(name in given for name in ("steering", "beta"))
