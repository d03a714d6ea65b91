from __future__ import annotations

import json

import pytest

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.harness.sweeps.cells import cells_of, slug
from sociolect.harness.sweeps.sweep_file import read_sweep

TASKS = "out: results\ntasks: [winobias_clean_ll]\n"

BASES = """
models:
  - name: steered
    base: tuned
    model: sociolect-hf
    model_args: {beta: 1e-3, steering: vector.safetensors, lora_local_path: null}
  - name: plain
    model: sociolect-vllm
    model_args: {pretrained: org/model, max_model_len: 4096}
    arguments: {batch_size: auto}
    gpus: 1
    cpus: 2
  - name: tuned
    base: plain
    model_args: {lora_local_path: adapters/errors, max_model_len: 2048}
"""


def test_a_model_takes_what_its_base_has_and_its_own_on_top(write_sweep, tmp_path):
    (tmp_path / "adapters" / "errors").mkdir(parents=True)
    (tmp_path / "vector.safetensors").touch()
    text = "out: results\ntasks: [winobias_clean_ll]\narguments: {limit: 8, batch_size: 4}\n"
    found = {one.name: one for one in read_sweep(write_sweep(text, models=BASES)).models}
    assert found["tuned"].model == "sociolect-vllm"
    assert found["tuned"].model_args == {
        "pretrained": "org/model",
        "max_model_len": 2048,
        "lora_local_path": str(tmp_path / "adapters" / "errors"),
    }
    assert found["steered"].model == "sociolect-hf"
    assert found["steered"].model_args == {
        "pretrained": "org/model",
        "max_model_len": 2048,
        "beta": 0.001,  # which YAML 1.1 takes for a text
        "steering": str(tmp_path / "vector.safetensors"),
    }
    assert found["steered"].arguments == {"limit": 8, "batch_size": "auto"}
    assert (found["steered"].gpus, found["steered"].cpus) == (1, 2)


def test_out_is_relative_to_the_file_and_an_option_wins(write_sweep, tmp_path):
    path = write_sweep(TASKS)
    assert read_sweep(path).out == tmp_path / "results"
    assert read_sweep(path, tmp_path / "other").out == tmp_path / "other"


def test_tags_and_patterns_are_taken_apart_and_lists_are_not(write_sweep):
    text = "out: o\ntasks: [winobias_l2_30, winobias_l2, [bbq_gender_clean, bbq_gender_l2_30]]\n"
    assert read_sweep(write_sweep(text)).entries == (
        ("winobias_l2_30",),
        ("winobias_clean",),
        ("winobias_l2_5",),
        ("winobias_l2_10",),
        ("winobias_l2_20",),
        ("bbq_gender_clean", "bbq_gender_l2_30"),
    )
    matched = read_sweep(write_sweep("out: o\ntasks: ['winobias_l2_?0_ll']\n")).entries
    assert matched == (("winobias_l2_10_ll",), ("winobias_l2_20_ll",), ("winobias_l2_30_ll",))


def test_clean_prompts_are_asked_once(write_sweep):
    text = (
        "out: o\nseeds: [0, 2]\n"
        "tasks: [winobias_clean, winobias_l2_30, [bbq_gender_clean, bbq_gender_l2_30]]"
    )
    found = cells_of(read_sweep(write_sweep(text)))
    assert [cell.id for cell in found] == [
        "one/winobias_clean",
        "one/winobias_l2_30",
        "one/winobias_l2_30-seed2",
        "one/bbq_gender_clean+bbq_gender_l2_30",
        "one/bbq_gender_l2_30-seed2",
    ]
    without = read_sweep(write_sweep(text.replace("[0, 2]", "[1]")))
    assert [cell.id for cell in cells_of(without, "*/bbq*")] == [
        "one/bbq_gender_clean",
        "one/bbq_gender_l2_30-seed1",
    ]


def test_the_command_line_says_what_the_file_does(write_sweep, tmp_path):
    models = (
        "models:\n  - {name: a/b, model: hf, model_args: {pretrained: m, low: false, x: '1e5'}}"
    )
    text = (
        "out: o\nseeds: [3]\ntasks: [winobias_l2_30]\narguments: {limit: 4, metadata: {k: v}, "
        "apply_chat_template: true, system_instruction: '-v', predict_only: false}\n"
    )
    (cell,) = cells_of(read_sweep(write_sweep(text, models=models)))
    line = cell.line(tmp_path)
    assert line[:2] == ["--model", "hf"]
    assert json.loads(line[3]) == {"pretrained": "m", "low": False, "x": "1e5"}
    assert line[4:6] == ["--tasks", "winobias_l2_30"]
    assert line[6:8] == ["--limit", "4"]
    assert "--apply_chat_template" in line
    assert "--system_instruction=-v" in line
    assert "--predict_only" not in line
    metadata = json.loads(line[line.index("--metadata") + 1])
    assert metadata == {"k": "v", "error_seed": 3}
    assert line[-3:] == ["--output_path", str(tmp_path / "a_b" / "winobias_l2_30-seed3"), line[-1]]
    assert line[-1] == "--log_samples"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("out: o\ntasks: [winobias_clean]\nretry: 2\n", 6, "'retry' is not known here"),
        ("out: o\ntasks: [winobias_clean]\nseed: [1]\n", 6, "did you mean seeds?"),
        ("out: o\ntasks: []\n", 5, "a list of tasks is needed"),
        ("out: o\ntasks: [winobias_clean]\nseeds: [-1]\n", 6, "0 or more, not -1"),
        ("out: o\ntasks: [winobias_clean]\nseeds: [yes]\n", 6, "takes 'yes' for yes or no"),
        ("out: o\ntasks: [winobias_clean]\nseeds: [010]\n", 6, "takes '010' for another number"),
        ("out: o\ntasks: [winobias_clean]\nout: p\n", 6, "'out' is given twice"),
        ("out: 8\ntasks: [winobias_clean]\n", 4, "a text is needed, not 8"),
        ("out: o\ntasks: [&a winobias_clean, *a]\n", 5, "aliases"),
        ("out: o\ntasks: !!python/name:os.system\n", 5, "a value of type"),
        ("out: o\ntasks: [winobias_clean\n", 6, "is no YAML"),
        ("out: o\ntasks: ['winobias_clean,winobias_l2_5']\n", 5, "several are a list"),
        ("out: o\ntasks: [[winobias_l2]]\n", 5, "stands for 5 tasks"),
        (
            "out: o\ntasks: [winobias_clean, [winobias_clean, winobias_l2_5]]\n",
            5,
            "asked for twice",
        ),
        ("out: o\ntasks: [winobias_clean]\narguments: {limmit: 3}\n", 6, "did you mean limit?"),
        ("out: o\ntasks: [winobias_clean]\narguments: {model: 3}\n", 6, "is set by the sweep"),
        ("out: o\ntasks: [winobias_clean]\narguments: {limit: many}\n", 2, "invalid float value"),
        ("out: o\ntasks: [winobias_clean]\narguments: {limit: 1e3}\n", 6, "write 1e3 as 1e+3"),
        (
            "out: o\ntasks: [winobias_clean]\narguments: {metadata: {error_seed: 1}}\n",
            6,
            "are given as `seeds`",
        ),
        ("out: o\ntasks: [winobias_clean]\nenvironment: {HF_TOKEN: abc}\n", 6, "holds a secret"),
        ("out: o\ntasks: [winobias_clean]\nenvironment: {A: hf_abcdefgh1}\n", 6, "holds a secret"),
    ],
)
def test_faults_are_told_with_their_line(write_sweep, text, line, said):
    with pytest.raises(InvalidInputError) as raised:
        read_sweep(write_sweep(text))
    assert str(raised.value).startswith(f"sweep.yaml:{line}: ")
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ("- {name: a, model: hf}\n  - {name: a, model: hf}", "sweep.yaml:3: a second model"),
        ("- {name: a, model: hf}\n  - {name: b, base: c}", "sweep.yaml:3: no model is called 'c'"),
        ("- {name: a, base: b}\n  - {name: b, base: a}", "bases go in a circle: 'a' → 'b' → 'a'"),
        ("- {name: a, model: hf}\n  - {name: A, model: hf}", "would share the folder A"),
        ("- {name: a}", "has no `model`"),
        ("- {name: 8, model: hf}", "put quotes around it"),
        ("- {name: a, model: hf, gpus: -1}", "is a number, 0 or more, not -1"),
        ("- {name: a, model: hf, model_args: {api_key: x}}", "api_key would be written down"),
        ("- {name: a, model: hf, model_args: {base_url: 'http://u:p@h/'}}", "holds a password"),
        ("- {name: a, model: hf, model_args: {revision: 1e5}}", "may be a number or a text"),
    ],
)
def test_faults_of_models(write_sweep, models, said):
    with pytest.raises(InvalidInputError, match=r"sweep\.yaml") as raised:
        read_sweep(write_sweep(TASKS, models=f"models:\n  {models}"))
    assert said in str(raised.value)


def test_an_unknown_task_is_told_with_what_is_near(write_sweep):
    with pytest.raises(UnknownNameError, match=r"sweep.yaml:5: unknown task .*winobias_clean"):
        read_sweep(write_sweep("out: o\ntasks: [winobias_claen]\n"))


def test_names_of_folders_are_safe():
    assert slug("org/model:v1") == "org_model_v1"
    assert slug("../..") == slug("../..") != slug("..")
    assert slug("../..").startswith("model-")
    assert slug("\x1b[31mred") == "31mred"
    assert len(slug("+".join(f"winobias_l2_{n}" for n in range(99)))) < 80
