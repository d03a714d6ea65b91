"""The report says with which tasks a chat template was applied."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sociolect.harness.dialect.findings import audit
from sociolect.harness.dialect.how_asked import how_asked
from sociolect.harness.dialect.methods import Method
from sociolect.harness.dialect.report import remarks
from sociolect.harness.dialect.runs import read_runs
from sociolect.harness.dialect.system_names import datasets

from .dialect_runs import COMBINATIONS, Writer, pairs

N = 6
CHOSEN = {(context, order): "as" * (N // 2) for context in ("aae", "sae") for order in (0, 1)}
LOG_P = dict.fromkeys(COMBINATIONS, [-5.0] * N)
LATER = "2026-03-05T05-06-07.123456"
LATEST = "2026-03-06T05-06-07.123456"


def asked(root: Path) -> list[str]:
    (dataset,) = datasets(read_runs([root])[0])
    return [how_asked(system) for system in dataset.systems]


def test_a_system_that_was_asked_plainly_has_no_remark(tmp_path: Path) -> None:
    write = Writer(tmp_path, pairs(N))
    write.continuation(LOG_P)
    write.choice(CHOSEN)
    assert asked(tmp_path) == [""]


def test_tasks_with_and_without_a_template_are_named(tmp_path: Path) -> None:
    write = Writer(tmp_path, pairs(N))
    for prompted in (False, True):
        write.continuation(LOG_P, prompted=prompted)
        write.choice(CHOSEN, prompted=prompted, time=LATER, top={"chat_template": "{{ x }}"})
    said = [
        f"org/tiny · {name}: asked with a chat template: aae_choice_best; "
        "with neither template nor system prompt: aae_continuation."
        for name in ("Base", "Prompt")
    ]
    assert asked(tmp_path) == said
    (dataset,) = datasets(read_runs([tmp_path])[0])
    found = audit(dataset, Method(resamples=200, permutations=99), lambda run: None)
    assert [line for line in remarks([found]) if ": asked " in line] == said


def test_a_system_prompt_is_named_with_and_without_a_template(tmp_path: Path) -> None:
    write = Writer(tmp_path, pairs(N))
    brief = {"system_instruction": "Be brief."}
    write.continuation(LOG_P, top=brief)
    write.choice(CHOSEN, time=LATER, top={**brief, "chat_template": "{{ x }}"})
    (said,) = asked(tmp_path)
    assert "with a chat template and a system prompt: aae_choice_best" in said
    assert "with a system prompt: aae_continuation" in said
    assert "neither" not in said


def test_several_templates_of_one_system_are_told_apart(tmp_path: Path) -> None:
    write = Writer(tmp_path, pairs(N))
    for wording, time, template in (("best", LATER, "{{ x }}"), ("likely", LATEST, "{{ y }}")):
        write.choice(CHOSEN, wording, time=time, top={"chat_template": template})
    (said,) = asked(tmp_path)
    for wording, template in (("best", "{{ x }}"), ("likely", "{{ y }}")):
        sha = hashlib.sha256(template.encode()).hexdigest()[:8]
        assert f"with a chat template ({sha}): aae_choice_{wording}" in said
