"""Tokens that a report counts itself, and what it does without."""

from __future__ import annotations

import csv
import io
import math
import subprocess
import sys
from pathlib import Path

import pytest

from sociolect.harness import cli

from .dialect_runs import COMBINATIONS, Writer, pairs

N = 40


def test_a_report_of_recorded_counts_loads_no_torch() -> None:
    names = ("report", "findings", "runs", "system_names", "token_counts")
    modules = ", ".join(f"sociolect.harness.dialect.{name}" for name in names)
    code = f"import sys, {modules}; print([m for m in ('torch', 'spacy') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert found.stdout == "[]\n"


def test_tokens_that_nobody_counted_are_counted_with_a_tokenizer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tiny_models import byte_tokenizer

    write = Writer(tmp_path / "out", pairs(N))
    write.continuation(dict.fromkeys(COMBINATIONS, [-50.0] * N))
    byte_tokenizer().save_pretrained(tmp_path / "bytes")
    options = ["--resamples", "200", "--format", "csv", "--tokenizer", str(tmp_path / "bytes")]
    given = ["sociolect", "dialect", "report", *options, str(write.root)]
    monkeypatch.setattr(sys, "argv", given)
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert not stop.value.code
    shown = csv.DictReader(io.StringIO(capsys.readouterr().out))
    value = {row["measure"]: row["value"] for row in shown if not row["feature_class"]}
    lengths = {"aae": len(" working late every night"), "sae": len(" work late every night")}
    for context, variety in COMBINATIONS:
        found = float(value[f"ppl_{context}_{variety}"])
        assert found == pytest.approx(math.exp(50 / lengths[variety])), (context, variety)
    # In either context the SAE continuation has fewer tokens for the same 50 nats.
    expected = 2 * (50 / lengths["aae"] - 50 / lengths["sae"])
    assert float(value["lp_token"]) == pytest.approx(expected)
    assert float(value["lp_sum"]) == 0


@pytest.mark.parametrize(("more", "told"), [(1, False), (5, True)])
def test_counts_of_two_tokenizers_are_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: int,
    told: bool,
) -> None:
    write, scores = Writer(tmp_path / "out", pairs(N)), dict.fromkeys(COMBINATIONS, [-50.0] * N)
    write.continuation(scores, dict.fromkeys(COMBINATIONS, [8] * N))
    write.continuation(scores, dict.fromkeys(COMBINATIONS, [8 + more] * N), prompted=True)
    given = ["sociolect", "dialect", "report", "--resamples", "200", str(write.root)]
    monkeypatch.setattr(sys, "argv", given)
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert not stop.value.code
    text = " ".join(capsys.readouterr().out.split())
    said = "100 % of its continuations have other numbers of tokens than in Base"
    assert (said in text) == told
