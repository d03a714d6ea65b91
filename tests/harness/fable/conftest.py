from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fable_writer import FableLM

from sociolect.harness.fable import models
from sociolect.harness.fable.generate import Manifest, Models, generate
from sociolect.harness.fable.settings import Settings

Run = Callable[..., tuple[Manifest, bool]]


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Writes a plan with a scripted model, read by the same or by another one."""

    def running(planned: Any, model: FableLM, reader: FableLM | None = None, **given: Any) -> Any:
        loaded = {"W": model, "R": reader}
        monkeypatch.setattr(models, "create_model", lambda name, given: loaded[given["model"]])
        writer = models.ModelChoice("dummy", {"model": "W"}, False, 0)
        checker = reader and models.ModelChoice("dummy", {"model": "R"}, False, 0)
        form, report = given.pop("form", "auto"), given.pop("report", lambda manifest: None)
        return generate(
            planned,
            Models(writer, checker, form),
            Settings(**given),
            tmp_path / "items.jsonl",
            report=report,
        )

    return running
