from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from sociolect.generators.errors import UnknownNameError
from sociolect.harness.commands.tasks import tasks
from sociolect.tasks.cells import benchmarks, tag_members


@pytest.fixture
def run():
    app = typer.Typer()
    app.command()(tasks)

    def call(*arguments):
        result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
        assert result.exit_code == 0
        return result.output

    return call


def test_tasks_are_printed_one_a_line(run):
    assert run("winobias_l2_?0", "winobias_clean").splitlines() == [
        "winobias_clean",
        "winobias_l2_10",
        "winobias_l2_20",
        "winobias_l2_30",
    ]


def test_a_tag_stands_for_its_tasks(run):
    assert tuple(run("sociolect_gender_l2").splitlines()) == tag_members()["sociolect_gender_l2"]


def test_tags_are_printed_with_their_number_of_tasks(run):
    assert "winobias_l2_ll\t5 tasks" in run("--tags").splitlines()
    assert run("--tags", "winobias_l2_ll") == "winobias_l2_ll\t5 tasks\n"


def test_without_a_name_there_is_an_overview(run):
    output = run()
    assert all(f" {name} " in output for name in benchmarks())
    assert "preference" in output
    assert "sociolect tasks --tags" in output


def test_a_name_that_matches_nothing_is_refused(run):
    with pytest.raises(UnknownNameError, match="near matches"):
        run("winobias_l2_31")
