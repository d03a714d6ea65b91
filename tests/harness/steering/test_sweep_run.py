"""A whole sweep of a random model: the cells, what is chosen, going on, and the files."""

from __future__ import annotations

import pytest
from tiny_models import tiny_llama

from sociolect.harness.dialect.methods import Method
from sociolect.harness.steering import sweep, sweep_report
from sociolect.harness.steering.sweep_settings import SweepSettings
from sociolect.harness.steering.sweep_vectors import SINGLE, VECTOR

from .sweep_inputs import identity, write_fit, write_pairs


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> SweepSettings:
    root = tmp_path_factory.mktemp("sweep")
    model = tiny_llama(root / "model")
    return SweepSettings(
        fit=write_fit(root / "fit", identity(model)),
        pairs=write_pairs(root / "pairs"),
        out=root / "out",
        model_args={"pretrained": str(model), "dtype": "float32"},
        strengths=(0.5, 1.0),
        tasks=("aae_continuation",),
        pairs_limit=5,
        method=Method(resamples=200, permutations=99),
    )


@pytest.fixture(scope="module")
def swept(settings: SweepSettings) -> sweep.Sweep:
    return sweep.run(settings)


def test_every_cell_is_there(swept: sweep.Sweep) -> None:
    out = swept.settings.out
    found = {p.parent.relative_to(out / "runs").as_posix() for p in out.rglob("finished.json")}
    compared, single = swept.choice.compared, swept.choices[SINGLE].compared
    steered = {f"{name}-{beta:g}" for name in (VECTOR, SINGLE) for beta in (0.5, 1.0)}
    assert found == {
        "selection/base",
        *(f"selection/{name}" for name in steered),
        *(f"evaluation/{name}" for name in ("base", "prompted", "vector-0.5", "vector-1")),
        *(f"evaluation/{name}-{compared:g}" for name in ("random", "shuffled", "layers")),
        f"evaluation/single-{single:g}",
    }
    print(sweep_report.render(swept, "table"))
