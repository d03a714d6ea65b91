"""Publishing to the Hub, against a stand-in on the loopback device."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import hub_stand_in as stand_in
import huggingface_hub
import pytest

from sociolect.generators import hub_timeouts, hub_upload
from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.hub_errors import retry_after
from sociolect.generators.publish import Published, publish
from sociolect.generators.release import PublishError

REPO = "org/occupations-mini-variants"
DATA = ("clean/test-00000-of-00001.parquet", "l2-10/test-00000-of-00001.parquet")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("build") / "mini"
    build("occupations_mini", [Condition("l2", 10)], out=out)
    return out


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that would have been waited."""
    waited: list[float] = []
    target = hub_upload.HubTarget
    monkeypatch.setattr(
        "sociolect.generators.publish.HubTarget",
        lambda repo, private, create_pr: target(repo, private, create_pr, waited.append),
    )
    return waited


@pytest.fixture
def send(built: Path, hub: Any, waits: list[float]) -> Callable[..., Published]:
    def run(folder: Path = built, **options: Any) -> Published:
        return publish(folder, **{"repo": REPO, "version": "1.0.0", **options})

    return run


def test_one_commit_then_its_tag(send: Callable[..., Published], hub: Any, built: Path) -> None:
    done = send()
    repository = hub.repositories[REPO]
    assert [c.title for c in repository.commits][1:] == ["occupations_mini 1.0.0, sociolect 0.1.0"]
    assert repository.tags == {"v1.0.0": repository.head.oid}
    assert done.sent is not None
    assert done.sent.commit == repository.head.oid
    assert set(repository.head.files) == {".gitattributes", "README.md", "manifest.json", *DATA}
    assert repository.head.files["manifest.json"] == (built / "manifest.json").read_bytes()
    assert repository.head.files[DATA[1]] == (built / DATA[1]).read_bytes()
    assert not repository.private


def test_large_files_go_through_lfs(send: Callable[..., Published], hub: Any, built: Path) -> None:
    hub.as_lfs = True
    send()
    assert hub.count(r"PUT /lfs/") == 2
    assert hub.repositories[REPO].head.files[DATA[0]] == (built / DATA[0]).read_bytes()
    del hub.repositories[REPO].tags["v1.0.0"]
    send()  # the SHA-256 that LFS reports is recognised: no second commit
    assert len(hub.repositories[REPO].commits) == 2


def test_a_published_version_is_refused_before_anything_is_made(
    send: Callable[..., Published], hub: Any
) -> None:
    send()
    asked = hub.count("POST")
    with pytest.raises(PublishError, match=r"has the tag v1\.0\.0 already"):
        send()
    assert hub.count("POST") == asked


def test_private_is_what_a_new_repository_becomes_and_an_old_one_must_be(
    send: Callable[..., Published], hub: Any
) -> None:
    send(private=True)
    assert hub.repositories[REPO].private
    hub.make("org/open")
    with pytest.raises(PublishError, match="exists and is public"):
        send(repo="org/open", private=True)
    assert len(hub.repositories["org/open"].commits) == 1


def test_a_pull_request_moves_neither_branch_nor_tag(
    send: Callable[..., Published], hub: Any
) -> None:
    hub.make(REPO)
    done = send(create_pr=True)
    repository = hub.repositories[REPO]
    assert (len(repository.commits), len(repository.pull_requests)) == (1, 1)
    assert repository.tags == {}
    assert done.sent is not None
    assert done.sent.where.endswith("/discussions/1")
    assert not done.sent.tagged


def test_a_pull_request_is_not_proposed_twice(send: Callable[..., Published], hub: Any) -> None:
    hub.make(REPO)
    hub.fail("POST", "/commit/", 503, after=True)
    with pytest.raises(PublishError, match="503"):
        send(create_pr=True)
    assert len(hub.repositories[REPO].pull_requests) == 1


def test_the_card_is_replaced_old_configs_go_and_other_files_stay(
    send: Callable[..., Published], hub: Any
) -> None:
    hub.make(REPO).add(
        {"README.md": b"mine", "l2-99/test-00000-of-00001.parquet": b"old", "LICENSE": b"kept"}
    )
    send()
    files = hub.repositories[REPO].head.files
    assert files["README.md"].startswith(b"---\npretty_name")
    assert "l2-99/test-00000-of-00001.parquet" not in files
    assert files["LICENSE"] == b"kept"


def test_earlier_versions_are_in_the_table(
    send: Callable[..., Published], hub: Any, built: Path
) -> None:
    repository = hub.make(REPO)
    old = json.loads((built / "manifest.json").read_text("utf-8")) | {"sociolect_version": "0.0.7"}
    repository.tags["v0.9.0"] = repository.add({"manifest.json": json.dumps(old).encode()}).oid
    repository.tags["v0.1.0"] = repository.commits[0].oid  # no manifest
    repository.tags["nightly"] = repository.head.oid
    send()
    card = repository.head.files["README.md"].decode()
    rows = [line for line in card.splitlines() if line.startswith(("| 1.0.0 |", "| 0."))]
    assert [row.split(" | ")[:2] for row in rows] == [["| 1.0.0", "0.1.0"], ["| 0.9.0", "0.0.7"]]


@pytest.mark.parametrize("status", [429, 500, 503, stand_in.DROP])
@pytest.mark.parametrize("path", ["/refs", "/repos/create", "/commit/", "/tag/"])
def test_passing_failures_are_waited_out(
    send: Callable[..., Published], hub: Any, waits: list[float], path: str, status: int
) -> None:
    hub.fail("GET" if path == "/refs" else "POST", path, status, times=2)
    send()
    assert waits == [1.0, 2.0]
    assert len(hub.repositories[REPO].commits) == 2


@pytest.mark.parametrize("path", ["/repos/create", "/commit/", "/tag/"])
def test_a_lost_answer_is_not_sent_again(
    send: Callable[..., Published], hub: Any, path: str
) -> None:
    hub.fail("POST", path, 503, after=True)
    send()
    repository = hub.repositories[REPO]
    assert len(repository.commits) == 2
    assert repository.tags == {"v1.0.0": repository.head.oid}


def test_retry_after_is_kept(send: Callable[..., Published], hub: Any, waits: list[float]) -> None:
    hub.fail("POST", "/commit/", 429, headers={"Retry-After": "37"})
    hub.fail("POST", "/tag/", 429, headers={"RateLimit": '"api";r=0;t=55'})
    send()
    assert waits == [37.0, 55.0]


def test_a_long_wait_is_left_to_the_user(
    send: Callable[..., Published], hub: Any, waits: list[float]
) -> None:
    hub.fail("POST", "/commit/", 429, headers={"Retry-After": "7200"})
    with pytest.raises(PublishError, match="again in 7200 s or later"):
        send()
    assert waits == []


def test_retry_after_may_be_a_date() -> None:
    class Answer(Exception):
        def __init__(self, named: str) -> None:
            self.response = type("R", (), {"status_code": 429, "headers": {"retry-after": named}})()

    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 80 < retry_after(Answer(later)) <= 90
    assert retry_after(Answer("soon")) == 0
    assert retry_after(Answer("")) == 0


def test_patience_ends(send: Callable[..., Published], hub: Any, waits: list[float]) -> None:
    hub.fail("POST", "/commit/", 503, times=99)
    with pytest.raises(PublishError, match="status 503; run the same command again later"):
        send()
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert hub.repositories[REPO].tags == {}


@pytest.mark.parametrize("status", [409, 412])
def test_a_conflict_reads_the_head_again(
    send: Callable[..., Published], hub: Any, status: int
) -> None:
    hub.fail("POST", "/commit/", status, times=2)
    send()
    assert hub.count(r"POST .*/commit/") == 3
    assert len(hub.repositories[REPO].commits) == 2


def test_a_commit_in_between_is_built_upon(send: Callable[..., Published], hub: Any) -> None:
    def intrude(there: Any) -> None:
        there.before_commit = None
        there.repositories[REPO].add({"README.md": b"theirs", "NOTES": b"theirs"}, "theirs")

    hub.before_commit = intrude
    send()
    repository = hub.repositories[REPO]
    assert [c.title for c in repository.commits[1:]] == [
        "theirs",
        "occupations_mini 1.0.0, sociolect 0.1.0",
    ]
    assert repository.head.files["NOTES"] == b"theirs"


def test_no_rights(send: Callable[..., Published], hub: Any, waits: list[float]) -> None:
    hub.may_write = False
    with pytest.raises(PublishError, match=r"may not write to org/occ.*You don't have the rights"):
        send()
    assert waits == []


def test_a_repository_that_exists_but_may_not_be_written(
    send: Callable[..., Published], hub: Any
) -> None:
    hub.make(REPO)
    hub.may_write = False
    with pytest.raises(PublishError, match="may not write"):
        send()
    assert hub.repositories[REPO].tags == {}


def test_no_token(
    send: Callable[..., Published], hub: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", str(tmp_path / "none"))
    with pytest.raises(PublishError, match=r"no token for the Hub.*hf auth login.*HF_TOKEN"):
        send()
    assert hub.requests == []


def test_a_token_that_is_not_accepted(
    send: Callable[..., Published], hub: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_another")
    with pytest.raises(PublishError, match="does not accept the token"):
        send()


def test_offline(
    send: Callable[..., Published], hub: Any, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(PublishError, match="unset HF_HUB_OFFLINE"):
        send()
    assert waits == []


def test_nothing_listens(
    send: Callable[..., Published], hub: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(PublishError, match="cannot be reached"):
        send()


def test_a_dry_run_asks_the_hub_nothing(
    send: Callable[..., Published], hub: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    done = send(dry_run=True)
    assert done.sent is None
    assert list(done.files) == ["README.md", "manifest.json", *DATA]
    assert hub.requests == []


def test_nothing_is_sent_if_a_config_was_edited(
    send: Callable[..., Published], hub: Any, built: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "edited"
    shutil.copytree(built, folder)
    shutil.copyfile(built / DATA[0], folder / DATA[1])
    with pytest.raises(DataError, match="'l2-10' was changed after the build"):
        send(folder)
    assert hub.count("POST") == 0


@pytest.mark.parametrize("name", ["mini", "a/b/c", "org/na me", "org/", "org/x..y", "org/x.git"])
def test_names_that_are_none(send: Callable[..., Published], name: str) -> None:
    with pytest.raises(InvalidInputError, match="write org/name"):
        send(repo=name)


def test_the_token_is_never_shown(
    send: Callable[..., Published],
    hub: Any,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    hub.fail("POST", "/commit/", 503)
    hub.fail("POST", "/tag/", 403, message=f"your token {stand_in.TOKEN} is bad")
    with pytest.raises(
        PublishError, match=r"the tag v1\.0\.0 is not: run the same command"
    ) as info:
        send()
    out, err = capfd.readouterr()
    assert "the Hub answers 503; trying again in 1 s" in err
    assert "[token]" in str(info.value)
    for text in (str(info.value), repr(info.value), caplog.text, out, err):
        assert stand_in.TOKEN not in text


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fractions of a second in place of a minute."""
    for name, seconds in {"CONNECT": 0.2, "READ": 0.2, "READ_CHANGE": 0.3, "SILENCE": 4}.items():
        monkeypatch.setattr(hub_timeouts, name, seconds)


@pytest.mark.parametrize("path", [f"/api/datasets/{REPO}", "/refs", "/tree/", "/commit/", "/tag/"])
def test_a_hub_that_never_answers(
    send: Callable[..., Published],
    hub: Any,
    hurry: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    path: str,
) -> None:
    # What `huggingface_hub` itself waits between its attempts, at the same pace.
    sleep = time.sleep
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda s: sleep(s / 100))
    method = "POST" if path in ("/commit/", "/tag/") else "GET"
    hub.fail(method, path, stand_in.HANG, times=99)
    hooks = huggingface_hub.get_session().event_hooks
    hub.make(REPO)
    start = time.monotonic()
    with pytest.raises(PublishError, match="cannot be reached; check the network and HF_ENDPOINT"):
        send()
    assert time.monotonic() - start < 15
    if path != "/tree/":  # there huggingface_hub repeats, and says so
        assert (
            "the Hub does not answer (ReadTimeout); trying again in 1 s" in capsys.readouterr().err
        )
    assert hub.count(f"{method} .*{path}") >= 2
    assert huggingface_hub.get_session().event_hooks == hooks


def test_a_hub_that_answers_again(
    send: Callable[..., Published], hub: Any, hurry: None, waits: list[float]
) -> None:
    hub.fail("POST", "/commit/", stand_in.HANG, times=2)
    send()
    assert waits == [1.0, 2.0]
    assert hub.repositories[REPO].tags == {"v1.0.0": hub.repositories[REPO].head.oid}


@pytest.mark.parametrize("answer", [[], {}, None, "text", 3, {"id": "org/x"}, b"<html>", [[]]])
@pytest.mark.parametrize("path", [f"/api/datasets/{REPO}", "/refs", "/tree/", "/commit/"])
def test_answers_of_another_shape(
    send: Callable[..., Published], hub: Any, waits: list[float], path: str, answer: Any
) -> None:
    hub.make(REPO)
    hub.fail("POST" if path == "/commit/" else "GET", path, 200, times=99, answer=answer)
    if path == "/tree/" and answer in ([], {}):  # no files: a tree
        send()
        return
    with pytest.raises(PublishError, match=r"of another form.*check HF_ENDPOINT.*Error: "):
        send()
    assert waits == []


def test_tags_without_a_commit(send: Callable[..., Published], hub: Any) -> None:
    tag = {"name": "v0.1.0", "ref": "refs/tags/v0.1.0", "targetCommit": None}
    hub.make(REPO)
    answer = {"branches": [], "converts": [], "tags": [tag]}
    hub.fail("GET", "/refs", 200, answer=answer)
    with pytest.raises(PublishError, match="of another form"):
        send()


def test_words_of_the_hub_are_one_printable_line(send: Callable[..., Published], hub: Any) -> None:
    said = "no \u202egnp.exe\u202c\n\n\x1b[2Jsociolect: all is well\r" + "x" * 5000
    hub.fail("POST", "/repos/create", 400, message=said)
    with pytest.raises(PublishError) as info:
        send()
    shown = str(info.value)
    assert shown.isprintable()
    assert "no \ufffdgnp.exe\ufffd \ufffd[2Jsociolect: all is well xxx" in shown
    assert len(shown) < 600


@pytest.mark.slow
def test_killed_between_commit_and_tag(hub: Any, built: Path) -> None:
    code = (
        "from pathlib import Path; from sociolect.generators.publish import publish; "
        f"print(publish(Path({str(built)!r}), repo={REPO!r}, version='1.0.0').sent)"
    )
    environment = os.environ | {
        "HF_ENDPOINT": hub.url,
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_TOKEN": stand_in.TOKEN,
    }
    hub.fail("POST", "/tag/", 429, headers={"Retry-After": "200"})
    first = subprocess.Popen([sys.executable, "-c", code], env=environment)
    deadline = time.monotonic() + 120
    while not hub.count("POST .*/tag/") and time.monotonic() < deadline:
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    assert first.wait() == -signal.SIGKILL
    repository = hub.repositories[REPO]
    assert (len(repository.commits), repository.tags) == (2, {})

    again = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert len(repository.commits) == 2
    assert repository.tags == {"v1.0.0": repository.head.oid}
    assert stand_in.TOKEN not in again.stdout + again.stderr
