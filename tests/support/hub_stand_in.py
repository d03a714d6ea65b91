"""A Hub on the loopback device: what `huggingface_hub` asks for when a dataset is published.

Commits are kept in memory. Answers can be made to fail, before or after the request took effect.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "hf_StandInTokenThatMustNotBeSeen"
DROP = 0
"""Status of a fault: close the connection without an answer."""
MESSAGE = object()
"""Answer of a fault: its message."""
HANG = -1
"""Status of a fault: keep the connection, and never answer."""


@dataclass
class Commit:
    oid: str
    files: dict[str, bytes]
    title: str = ""


@dataclass
class Repository:
    private: bool = False
    commits: list[Commit] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    pull_requests: list[Commit] = field(default_factory=list)

    @property
    def head(self) -> Commit:
        return self.commits[-1]

    def at(self, revision: str) -> Commit | None:
        if revision == "main":
            return self.head
        oid = self.tags.get(revision, revision)
        return next((c for c in self.commits if c.oid == oid), None)

    def add(self, files: dict[str, bytes], title: str = "") -> Commit:
        commit = Commit(sha1(f"{len(self.commits)}{title}".encode()).hexdigest(), files, title)
        self.commits.append(commit)
        return commit


@dataclass
class Fault:
    """How often, and with what, requests are answered instead of properly."""

    method: str
    path: str
    status: int
    times: int
    headers: dict[str, str]
    after: bool
    answer: Any


@dataclass
class Hub:
    """The state that tests look at."""

    repositories: dict[str, Repository] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    lfs: dict[str, bytes] = field(default_factory=dict)
    as_lfs: bool = False
    may_write: bool = True
    url: str = ""
    before_commit: Any = None
    closing: threading.Event = field(default_factory=threading.Event)

    def make(self, repo: str, *, private: bool = False) -> Repository:
        """A repository as the Hub makes it, with a first commit."""
        repository = self.repositories.setdefault(repo, Repository(private))
        repository.add({".gitattributes": b""}, "initial commit")
        return repository

    def fail(
        self,
        method: str,
        path: str,
        status: int,
        *,
        times: int = 1,
        headers: dict[str, str] | None = None,
        after: bool = False,
        message: str = "no",
        answer: Any = MESSAGE,
    ) -> None:
        """Answer the next requests whose path holds `path` with a status."""
        said = {"error": message} if answer is MESSAGE else answer
        self.faults.append(Fault(method, path, status, times, headers or {}, after, said))

    def count(self, start: str) -> int:
        """Requests whose `METHOD /path` matches a regular expression at its start."""
        return sum(bool(re.match(start, line)) for line in self.requests)

    def fault(self, method: str, path: str, *, after: bool) -> Fault | None:
        for fault in self.faults:
            fits = fault.method == method and fault.path in path
            if fits and fault.times and fault.after == after:
                fault.times -= 1
                return fault
        return None


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._serve("GET")

    def do_HEAD(self) -> None:
        self._serve("HEAD")

    def do_POST(self) -> None:
        self._serve("POST")

    def do_PUT(self) -> None:
        self._serve("PUT")

    def _serve(self, method: str) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = unquote(urlsplit(self.path).path)
        self.hub.requests.append(f"{method} {path}")
        if fault := self.hub.fault(method, path, after=False):
            self._fail(fault)
            return
        status, answer, headers = self._answer(method, path, body)
        if fault := self.hub.fault(method, path, after=True):
            self._fail(fault)
            return
        self._send(status, answer, headers)

    def _fail(self, fault: Fault) -> None:
        if fault.status == DROP:
            self.close_connection = True
            self.connection.close()
        elif fault.status == HANG:
            self.close_connection = True
            self.hub.closing.wait()
        else:
            self._send(fault.status, fault.answer, fault.headers)

    def _send(self, status: int, answer: Any, headers: dict[str, str]) -> None:
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _answer(self, method: str, path: str, body: bytes) -> tuple[int, Any, dict[str, str]]:
        if method == "PUT" and path.startswith("/lfs/"):
            self.hub.lfs[path.removeprefix("/lfs/")] = body
            return 200, {}, {}
        if self.headers.get("authorization") != f"Bearer {TOKEN}":
            return 401, {"error": "Invalid credentials in Authorization header"}, {}
        for pattern, wanted, name in _ROUTES:
            if method in wanted and (match := re.fullmatch(pattern, path)):
                return getattr(self, name)(body, **match.groupdict())
        return 404, {"error": "no such page"}, {}

    def _yaml(self, body: bytes) -> tuple[int, Any, dict[str, str]]:
        return 200, {"errors": [], "warnings": []}, {}

    def _create(self, body: bytes) -> tuple[int, Any, dict[str, str]]:
        asked = json.loads(body)
        repo = f"{asked['organization']}/{asked['name']}"
        if not self.hub.may_write:
            return 403, {"error": "You don't have the rights"}, {}
        url = f"{self.hub.url}/datasets/{repo}"
        if repo in self.hub.repositories:
            return 409, {"error": "You already created this dataset repo", "url": url}, {}
        private = asked.get("visibility") == "private" or bool(asked.get("private"))
        self.hub.make(repo, private=private)
        return 200, {"url": url, "name": repo, "id": "1"}, {}

    def _info(self, body: bytes, repo: str, revision: str = "main") -> Any:
        found = self._find(repo, revision)
        if found is None:
            return _MISSING
        repository, commit = found
        return (
            200,
            {
                "id": repo, "sha": commit.oid, "private": repository.private, "disabled": False,
                "downloads": 0, "likes": 0, "tags": [], "siblings": [],
            },
            {},
        )  # fmt: skip

    def _refs(self, body: bytes, repo: str) -> Any:
        found = self._find(repo)
        if found is None:
            return _MISSING
        tags = [
            {"name": name, "ref": f"refs/tags/{name}", "targetCommit": oid}
            for name, oid in found[0].tags.items()
        ]
        main = {"name": "main", "ref": "refs/heads/main", "targetCommit": found[1].oid}
        return 200, {"branches": [main], "tags": tags, "converts": []}, {}

    def _tree(self, body: bytes, repo: str, revision: str) -> Any:
        found = self._find(repo, revision)
        if found is None:
            return _MISSING
        entries = [self._entry(path, data) for path, data in found[1].files.items()]
        return 200, entries, {}

    def _entry(self, path: str, data: bytes) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "type": "file",
            "path": path,
            "size": len(data),
            "oid": _blob(data),
        }
        digest = sha256(data).hexdigest()
        if digest in self.hub.lfs:
            entry["lfs"] = {"oid": digest, "size": len(data), "pointerSize": 130}
        return entry

    def _preupload(self, body: bytes, repo: str, revision: str) -> Any:
        files = [
            {
                "path": f["path"],
                "uploadMode": "lfs"
                if self.hub.as_lfs and f["path"].endswith(".parquet")
                else "regular",
                "shouldIgnore": False,
            }
            for f in json.loads(body)["files"]
        ]
        return 200, {"files": files}, {}

    def _lfs(self, body: bytes, repo: str) -> Any:
        objects = [
            {
                **item,
                **(
                    {}
                    if item["oid"] in self.hub.lfs
                    else {"actions": {"upload": {"href": f"{self.hub.url}/lfs/{item['oid']}"}}}
                ),
            }
            for item in json.loads(body)["objects"]
        ]
        return 200, {"transfer": "basic", "objects": objects}, {}

    def _commit(self, body: bytes, repo: str, revision: str) -> Any:
        if not self.hub.may_write:
            return 403, {"error": "You don't have the rights"}, {}
        if self.hub.before_commit:
            self.hub.before_commit(self.hub)
        repository = self.hub.repositories[repo]
        lines = [json.loads(line) for line in body.splitlines()]
        header = lines[0]["value"]
        if header.get("parentCommit") not in (None, repository.head.oid):
            return 412, {"error": "A commit has happened since. Please refresh and try again."}, {}
        files = dict(repository.head.files)
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "deletedFile":
                del files[value["path"]]
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.hub.lfs[value["oid"]]
            else:
                files[value["path"]] = base64.b64decode(value["content"])
        url = f"{self.hub.url}/datasets/{repo}"
        if parse_qs(urlsplit(self.path).query).get("create_pr") == ["1"]:
            commit = Commit("f" * 40, files, header["summary"])
            repository.pull_requests.append(commit)
            answer = {"pullRequestUrl": f"{url}/discussions/1"}
        else:
            commit, answer = repository.add(files, header["summary"]), {}
        return (
            200,
            {"commitUrl": f"{url}/commit/{commit.oid}", "commitOid": commit.oid, **answer},
            {},
        )

    def _tag(self, body: bytes, repo: str, revision: str) -> Any:
        repository, tag = self.hub.repositories[repo], json.loads(body)["tag"]
        if tag in repository.tags:
            return 409, {"error": "Tag reference exists already"}, {}
        repository.tags[tag] = revision
        return 200, {}, {}

    def _resolve(self, body: bytes, repo: str, revision: str, file: str) -> Any:
        found = self._find(repo, revision)
        if found is None or file not in found[1].files:
            return 404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound"}
        data = found[1].files[file]
        return 200, data, {"X-Repo-Commit": found[1].oid, "ETag": f'"{_blob(data)}"'}

    def _find(self, repo: str, revision: str = "main") -> tuple[Repository, Commit] | None:
        repository = self.hub.repositories.get(repo)
        commit = repository.at(revision) if repository else None
        return (repository, commit) if repository and commit else None


_MISSING: tuple[int, Any, dict[str, str]] = (
    *(404, {"error": "Repository not found"}),
    {"X-Error-Code": "RepoNotFound"},
)
_REPO = r"(?P<repo>[\w.-]+/[\w.-]+)"
_ROUTES = (
    (r"/api/validate-yaml", ("POST",), "_yaml"),
    (r"/api/repos/create", ("POST",), "_create"),
    (rf"/api/datasets/{_REPO}", ("GET",), "_info"),
    (rf"/api/datasets/{_REPO}/revision/(?P<revision>[^/]+)", ("GET",), "_info"),
    (rf"/api/datasets/{_REPO}/refs", ("GET",), "_refs"),
    (rf"/api/datasets/{_REPO}/tree/(?P<revision>[^/]+)/?", ("GET",), "_tree"),
    (rf"/api/datasets/{_REPO}/preupload/(?P<revision>[^/]+)", ("POST",), "_preupload"),
    (rf"/api/datasets/{_REPO}/commit/(?P<revision>[^/]+)", ("POST",), "_commit"),
    (rf"/api/datasets/{_REPO}/tag/(?P<revision>[^/]+)", ("POST",), "_tag"),
    (rf"/datasets/{_REPO}\.git/info/lfs/objects/batch", ("POST",), "_lfs"),
    (
        rf"/datasets/{_REPO}/resolve/(?P<revision>[^/]+)/(?P<file>.+)",
        ("GET", "HEAD"),
        "_resolve",
    ),
)


def _blob(data: bytes) -> str:
    return sha1(b"blob %d\0" % len(data) + data).hexdigest()


@contextmanager
def running() -> Iterator[Hub]:
    """A Hub that answers until the block ends."""
    hub = Hub()
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.closing.set()
        server.shutdown()
        server.server_close()
