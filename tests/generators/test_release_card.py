"""The card of a release: metadata that the Hub and `datasets` read, and a text for people."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import DatasetCard

from sociolect.generators.benchmarks import BENCHMARKS
from sociolect.generators.errors import DataError
from sociolect.generators.release_card import Card, Earlier, hub_value, render_card


def entry(transform: str, level: int, part: str = "input", **more: Any) -> dict[str, Any]:
    mix = [
        {"type": "det", "operation": o, "subtype": "", "count": c, "share": s, "wanted": w}
        for o, c, s, w in (("deletion", 6, 0.6, 0.429), ("insertion", 4, 0.4, 0.571))
    ]
    return {
        "transform": transform,
        "level": level,
        "part": part,
        "rules": "paper",
        "cutoff": {},
        "mean_error_rate": level / 100 + 0.0012,
        "ceiling": {part: 0.35} if level else {},
        "at_ceiling": False,
        "mix": mix if level else [],
        "rows": 128,
        "sha256": "a" * 64,
        **more,
    }


def manifest(**more: Any) -> dict[str, Any]:
    return {
        "benchmark": "winobias",
        "axis": "gender",
        "data_version": "1.0.0",
        "sociolect_version": "0.1.0",
        "algorithm_version": "1",
        "seed": 0,
        "rules": "paper",
        "licence": "MIT",
        "sources": [{"name": "winobias/a.txt", "sha256": "b" * 64, "url": "https://x.org/a"}],
        "dropped": [],
        "invalid_pairs": {},
        "unreachable": {},
        "configs": {"clean": entry("clean", 0), "l2-30": entry("l2", 30)},
        **more,
    }


Render = Callable[..., tuple[dict[str, Any], str]]


@pytest.fixture
def render() -> Render:
    def of(
        card: dict[str, Any] | None = None, repo: str = "org/winobias-variants", **more: Any
    ) -> tuple[dict[str, Any], str]:
        content = manifest(**more)
        sizes = dict.fromkeys(content["configs"], (2000, 900))
        text = render_card(Card(content, repo, "1.0.0", "c" * 64, sizes, **(card or {})))
        parsed = DatasetCard(text)
        return yaml.safe_load(text.split("---")[1]), str(parsed.text)

    return of


def section(text: str, title: str) -> str:
    """One section of the text."""
    match = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert match is not None, title
    return match[1]


def test_metadata(render: Render) -> None:
    head, _ = render()
    assert head["license"] == "mit"
    assert head["language"] == ["en"]
    assert head["size_categories"] == ["n<1K"]
    assert head["task_categories"] == ["multiple-choice"]
    assert head["source_datasets"] == ["extended|wino_bias"]
    assert {"bias", "gender", "sociolect"} <= set(head["tags"])
    assert head["configs"] == [
        {
            "config_name": "clean",
            "data_files": [{"split": "test", "path": "clean/test-00000-of-00001.parquet"}],
            "default": True,
        },
        {
            "config_name": "l2-30",
            "data_files": [{"split": "test", "path": "l2-30/test-00000-of-00001.parquet"}],
        },
    ]
    info = head["dataset_info"][1]
    assert (info["config_name"], info["dataset_size"], info["download_size"]) == (
        "l2-30",
        2000,
        900,
    )
    assert info["splits"] == [{"name": "test", "num_bytes": 2000, "num_examples": 128}]
    assert {"name": "error_rate", "dtype": "float64"} in info["features"]


def test_a_build_of_the_clean_texts_alone(render: Render) -> None:
    head, text = render(configs={"clean": entry("clean", 0)})
    assert head["dataset_info"][0]["config_name"] == "clean"
    assert "Realised mix" not in text
    assert "*level*" not in text


@pytest.mark.parametrize("rows", [(999, "n<1K"), (1000, "1K<n<10K"), (842_520, "100K<n<1M")])
def test_sizes_count_all_rows(render: Render, rows: tuple[int, str]) -> None:
    head, _ = render(configs={"clean": entry("clean", 0, rows=rows[0])})
    assert head["size_categories"] == [rows[1]]


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("Apache-2.0", {"license": "apache-2.0"}),
        ("CC-BY-4.0", {"license": "cc-by-4.0"}),
        ("CC BY", {"license": "other", "license_name": "cc-by"}),
        ("", {"license": "other", "license_name": "source-states-none"}),
    ],
)
def test_licences(render: Render, licence: str, expected: dict[str, str]) -> None:
    head, _ = render(licence=licence)
    assert expected.items() <= head.items()
    assert ("license_link" in head) == (expected["license"] == "other")


def test_how_to_load_and_score(render: Render) -> None:
    _, text = render(seed=3)
    shown = section(text, "Load and score it")
    assert 'load_dataset("org/winobias-variants", "l2-30", revision="v1.0.0")' in shown
    assert "export SOCIOLECT_HUB=org\n" in shown
    assert "--tasks winobias_clean,winobias_l2_30 --metadata '{\"error_seed\": 3}'" in shown
    _, other = render(repo="org/mine")
    assert "export SOCIOLECT_HUB=org/mine\n" in other
    assert "error_seed" not in other


def test_what_the_variable_must_be() -> None:
    assert hub_value("org/bbq-gender-variants", "bbq_gender") == "org"
    assert hub_value("org/bbq_gender-variants", "bbq_gender") == "org/bbq_gender-variants"


def test_the_table_of_configs(render: Render) -> None:
    configs = {
        "clean": entry("clean", 0),
        "l2det-30-both": entry(
            *("l2det", 30, "both"), at_ceiling=True, ceiling={"input": 0.352, "instruction": 0.271}
        ),
    }
    _, text = render(configs=configs)
    lines = section(text, "Configs").splitlines()
    assert "| `clean` | 0 % |  | 0.12 % |  | 128 |" in lines
    assert "| `l2det-30-both` | 30 % | both | 30.12 % | 27.1 % (at ceiling) | 128 |" in lines
    assert "`-both` at the end of its name" in section(text, "What was done")


def test_realised_and_wanted_mix(render: Render) -> None:
    configs = {"clean": entry("clean", 0), "l2-5": entry("l2", 5), "l2-30": entry("l2", 30)}
    _, text = render(configs=configs)
    lines = section(text, "Realised mix of errors").splitlines()
    assert "| type | operation | sub-type | wanted | l2-5 | l2-30 |" in lines
    assert "| det | deletion |  | 42.9 % | 60.0 % | 60.0 % |" in lines


def test_what_was_dropped(render: Render) -> None:
    dropped = [{"where": str(i), "reason": "no a|b target"} for i in range(16)]
    _, text = render(
        dropped=dropped, invalid_pairs={"winobias/1": "x"}, unreachable={"l2det-30": "…"}
    )
    shown = section(text, "What was dropped")
    assert r"| no a\|b target | 16 |" in shown
    assert "`winobias/1`" in shown
    assert "above the ceiling: `l2det-30`." in shown
    assert section(render()[1], "What was dropped").strip() == "Nothing."


def test_realism_is_shown_only_if_it_was_measured(render: Render) -> None:
    assert "## Realism" not in render()[1]
    realism = {
        "config": "l2-30",
        "reference": "W&I+LOCNESS",
        "total_variation": 0.1234,
        "per_type": [{"type": "DET", "ours": 0.25, "reference": 0.3}],
    }
    shown = section(render({"realism": realism})[1], "Realism")
    assert "0.123" in shown
    assert "| DET | 25.0 % | 30.0 % |" in shown


def test_versions(render: Render) -> None:
    earlier = tuple(
        Earlier(v, manifest(sociolect_version=s), h * 64)
        for v, s, h in (("0.9.0", "0.0.7", "d"), ("0.10.0", "0.0.8", "e"), ("1.0.0", "old", "f"))
    )
    lines = section(render({"earlier": earlier})[1], "Versions").splitlines()
    assert [line for line in lines if line.startswith(("| 0", "| 1"))] == [
        f"| 1.0.0 | 0.1.0 | 1 | 2 | 256 | `{'c' * 64}` |",
        f"| 0.10.0 | 0.0.8 | 1 | 2 | 256 | `{'e' * 64}` |",
        f"| 0.9.0 | 0.0.7 | 1 | 2 | 256 | `{'d' * 64}` |",
    ]


def test_who_wrote_the_texts(render: Render) -> None:
    _, text = render()
    assert "wrote the responses" not in text
    written = [
        {"model": "", "checker": "", "items": 3},
        {"model": "org/W`\n<b>", "checker": "R", "items": 5},
    ]
    _, text = render(benchmark="fable", axis="", written=written)
    lines = section(text, "Licence and attribution").splitlines()
    assert "- 3 items: no model named" in lines
    assert "- 5 items: `org/W' <b>`, checked by `R`" in lines


def test_a_card_without_text_says_so_and_how_to_get_it(render: Render) -> None:
    head, text = render(
        benchmark="degen_race",
        axis="race",
        licence="",
        text="withheld",
        repo="org/degen-race-variants",
    )
    names = {feature["name"] for feature in head["dataset_info"][0]["features"]}
    assert not names & {"input", "question"}
    assert "**The text of the benchmark is not here.**" in text
    code = re.search(r"### Get the text.*?```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    compile(code[1], "card", "exec")
    assert "sociolect build degen_race" in text
    assert "differ in race alone" in text
    assert "**The text of the benchmark" not in render()[1]


def test_the_notice_of_mit_goes_with_the_text(render: Render) -> None:
    shown = section(render()[1], "Licence and attribution")
    assert "Copyright (c) 2020 Natural Language Processing @UCLA" in shown
    assert "Permission is hereby granted" in shown
    assert "[`winobias/a.txt`](https://x.org/a)" in shown
    assert "Permission" not in render(benchmark="bbq_race", axis="race", licence="CC-BY-4.0")[1]
    assert "Copyright (c) 2020 Dan Hendrycks" in render(benchmark="mmlu", axis="")[1]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_benchmark_has_its_texts(render: Render, benchmark: str) -> None:
    _, text = render(benchmark=benchmark, axis="religion")
    assert not re.search(r"\{[a-z]+\}[^\n]*with errors|\{axis\}|Undefined", text)
    for title in (
        *("What this is", "What was done", "Load and score it", "Columns", "Configs"),
        *("Protected spans", "What was dropped", "Intended use and limits"),
        *("Licence and attribution", "Versions", "Citation"),
    ):
        assert section(text, title).strip()
    assert re.search(r"```bibtex\n@\w+\{[\w-]+,\n.*?\n\}\n```", text, re.DOTALL)
    assert "\n\n\n\n" not in text


def test_an_unknown_benchmark_is_named(render: Render) -> None:
    with pytest.raises(DataError, match="no card text about 'other'"):
        render(benchmark="other")


def test_the_same_release_has_the_same_card(render: Render) -> None:
    assert json.dumps(render()) == json.dumps(render())


def test_tables_are_whole(render: Render) -> None:
    """A blank line inside a table would end it."""
    _, text = render(invalid_pairs={"a": ""}, unreachable={"l2-40": ""})
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(blocks) == 4
    for block in blocks:
        lines = block.splitlines()
        assert set(lines[1]) <= set("| -")
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1


def test_the_templates_ship_with_the_package() -> None:
    folder = Path(__file__).parents[2] / "dataset_cards"
    assert {"release.md", "datasets.yaml"} <= {path.name for path in folder.iterdir()}
