"""What is shipped, what is imported when, and which package may import which."""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import re
import resource
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

import sociolect

ROOT = Path(__file__).resolve().parents[1]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = CONFIG["tool"]["setuptools"]
PLACES = {name: ROOT / place for name, place in SETUPTOOLS["package-dir"].items()}
HEAVY = ("torch", "transformers", "lm_eval", "datasets", "spacy", "pandas", "scipy")
FORBIDDEN = {
    "generators": (
        "sociolect.tasks",
        "sociolect.harness",
        "sociolect.steering",
        "torch",
        "transformers",
        "lm_eval",
    ),
    "tasks": ("sociolect.harness", "sociolect.steering"),
    "steering": ("sociolect.harness",),
}


def packages_on_disk() -> dict[str, Path]:
    found = {"sociolect": PLACES["sociolect"]}
    for name, place in PLACES.items():
        if name == "sociolect":
            continue
        for init in place.rglob("__init__.py"):
            parts = init.parent.relative_to(place).parts
            found[".".join((name, *parts))] = init.parent
    return found


def modules() -> list[str]:
    listed = ["sociolect"]
    for name, place in packages_on_disk().items():
        if name != "sociolect":
            listed.append(name)
        listed += [f"{name}.{m.name}" for m in pkgutil.iter_modules([str(place)]) if not m.ispkg]
    return sorted(set(listed))


def imported_names(source: str) -> set[str]:
    """Every module that the source imports, at the top or inside a function."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where they lead"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def reaches(name: str, target: str) -> bool:
    return name == target or name.startswith(f"{target}.")


def test_the_packages_listed_are_the_folders_on_disk() -> None:
    assert sorted(SETUPTOOLS["packages"]) == sorted(packages_on_disk())


def test_the_links_for_static_tools_lead_to_the_packages() -> None:
    for name, place in PLACES.items():
        if name != "sociolect":
            link = ROOT / "src" / name.replace(".", "/")
            assert link.is_symlink()
            assert link.resolve() == place


@pytest.mark.parametrize("name", modules())
def test_every_module_imports(name: str) -> None:
    if name == "sociolect.steering.backends.vllm":
        pytest.importorskip("vllm", reason="vLLM has an environment of its own")
    assert importlib.import_module(name).__name__ == name


def test_the_versions_agree() -> None:
    assert sociolect.__version__ == CONFIG["project"]["version"] == version("sociolect")


def test_what_is_tested_is_what_is_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    extras = CONFIG["project"]["optional-dependencies"]
    wanted = [*CONFIG["project"]["dependencies"], *extras["finetune"], *extras["dev"]]
    wanted += [*extras["demo"], "torch"]
    bare = {re.split(r"[\[<>=! ]", line)[0].lower().replace("_", "-") for line in wanted}
    assert bare <= {name.lower().replace("_", "-") for name in pins}
    assert all("+" not in pin for pin in pins.values()), "a local version suits one index only"


def test_the_import_finder_sees_what_it_should() -> None:
    source = "def f():\n    from sociolect import tasks\n    import torch.nn as nn\n"
    names = imported_names(source)
    assert any(reaches(n, "sociolect.tasks") for n in names)
    assert any(reaches(n, "torch") for n in names)
    assert not any(reaches(n, "torch") for n in imported_names("import torchmetrics"))


@pytest.mark.parametrize("package", FORBIDDEN)
def test_dependencies_point_one_way(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        for name in imported_names(path.read_text(encoding="utf-8"))
        if any(reaches(name, target) for target in FORBIDDEN[package])
    ]
    assert wrong == []


HELP = """
import sys
from sociolect.harness.cli import app
app(args=["--help"], standalone_mode=False)
"""


@pytest.mark.parametrize("code", ["import sociolect", HELP], ids=["import", "--help"])
def test_nothing_heavy_is_imported_early(code: str) -> None:
    check = f"{code}\nimport sys\nprint('HEAVY', [m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "HEAVY []"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_the_command_answers_at_once(arguments: list[str]) -> None:
    command = [str(Path(sys.executable).with_name("sociolect")), *arguments]

    def cpu_seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(cpu_seconds() for _ in range(3)) < 0.5


@pytest.fixture(scope="module")
def source_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, so that building leaves nothing in it."""
    target = tmp_path_factory.mktemp("tree") / "sociolect"
    skip = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, target, symlinks=True, ignore=skip)
    return target


def build_wheel(source: Path, into: Path) -> set[str]:
    """Names in the wheel of a folder or an sdist, made with the setuptools at hand."""
    if int(version("setuptools").split(".")[0]) < 77:
        pytest.skip("setuptools in this environment is older than what pyproject.toml asks for")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q"]
    subprocess.run([*command, "-w", str(into), str(source)], check=True, cwd=into)
    (wheel,) = into.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def files_to_ship() -> set[str]:
    patterns = ("*.py", *SETUPTOOLS["package-data"]["*"])
    return {
        f"{package.replace('.', '/')}/{path.relative_to(place)}"
        for package, place in packages_on_disk().items()
        for pattern in patterns
        for path in place.glob(pattern)
        if path.is_file()
    }


@pytest.mark.slow
def test_the_wheel_holds_code_and_data_and_nothing_else(source_tree: Path, tmp_path: Path) -> None:
    names = build_wheel(source_tree, tmp_path)
    assert names == files_to_ship()
    suffixes = {Path(name).suffix for name in names}
    assert {".py", ".typed", ".yaml", ".json", ".jsonl"} <= suffixes
    assert not any(Path(name).name.startswith(("test_", "conftest")) for name in names)


@pytest.mark.slow
def test_the_wheel_of_the_sdist_is_the_same(source_tree: Path, tmp_path: Path) -> None:
    code = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=source_tree,
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    (sdist,) = tmp_path.glob("*.tar.gz")
    into = tmp_path / "wheel"
    into.mkdir()
    assert build_wheel(sdist, into) == files_to_ship()
