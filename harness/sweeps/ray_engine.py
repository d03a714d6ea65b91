"""Cells on the workers of a Ray cluster."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sociolect import __version__
from sociolect.generators.errors import InvalidInputError, MissingToolError, ResultsError
from sociolect.harness.environment import environment
from sociolect.harness.sweeps.child import Job, Outcome, failed, run_job
from sociolect.harness.sweeps.shown import Shown

_POLL = 0.2
_STOPPING = 35.0
_STORE = 100 * 2**20
"""Bytes of Ray's store of objects, which here holds next to nothing."""


def run_on_ray(
    jobs: Sequence[Job], retries: int, shown: Shown, address: str, out: Path
) -> dict[str, Outcome]:
    """Run cells on the workers of a cluster, as many at once as fit.

    Args:
        jobs: The cells.
        retries: How often one that fails is tried again; Ray itself tries nothing again.
        shown: Gets told.
        address: Of the cluster; `auto` joins one that runs here, or starts one of this machine.
        out: Folder that every worker must see.

    Returns:
        How the last attempt of each ended, by id.

    Raises:
        MissingToolError: Ray is not installed.
        InvalidInputError: No cluster at the address, or no worker is large enough for a cell.
        ResultsError: A machine of the cluster does not see the folder, or has another version.
    """
    with _connected(address) as ray:
        _check_fit(ray, jobs)
        _check_nodes(ray, out)
        return _Running(ray, retries, shown, list(jobs)).run()


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    # No statistics are sent, and workers keep what they were given of GPUs and threads.
    with environment({"RAY_USAGE_STATS_ENABLED": "0"}):
        try:
            import ray
        except ImportError as error:
            raise MissingToolError(
                "--ray needs Ray, which is not installed: pip install 'sociolect[sweep]'"
            ) from error
        _init(ray, address)
        try:
            yield ray
        finally:
            ray.shutdown()


def _init(ray: Any, address: str) -> None:
    quiet = {"log_to_driver": False, "configure_logging": False}
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, ValueError, RuntimeError) as error:
        if address != "auto":
            raise InvalidInputError(
                f"--ray {address}: no cluster answers there ({error}); give host:port of its head, "
                "or auto"
            ) from error
        ray.init(address="local", include_dashboard=False, object_store_memory=_STORE, **quiet)


def _check_fit(ray: Any, jobs: Sequence[Job]) -> None:
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    for job in jobs:
        fits = (node.get("CPU", 0) >= job.cpus and node.get("GPU", 0) >= job.gpus for node in nodes)
        if not any(fits):
            raise InvalidInputError(
                f"{job.id} needs {job.cpus:g} CPUs and {job.gpus:g} GPUs, and no machine of the "
                "cluster has as many; change `cpus` or `gpus` of the model"
            )


def _check_nodes(ray: Any, out: Path) -> None:
    """Every machine sees the folder, and has this version of the package."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    token, text = out / f".seen-{secrets.token_hex(8)}", secrets.token_hex(16)
    token.write_text(text)
    look = ray.remote(num_cpus=0, max_retries=0)(_seen)
    try:
        for node in (node for node in ray.nodes() if node["Alive"]):
            place = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            said = _got(ray, look.options(scheduling_strategy=place).remote(token, text))
            if said:
                raise ResultsError(
                    f"{node['NodeManagerHostname']}, a machine of the Ray cluster: {said}"
                )
    finally:
        token.unlink(missing_ok=True)


def _got(ray: Any, ref: Any) -> str:
    try:
        return str(ray.get(ref, timeout=120))
    except ray.exceptions.RayError as error:
        return f"could not look ({_first_line(error)}); is sociolect {__version__} installed there?"


def _seen(token: Path, text: str, version: str = __version__) -> str:
    """On a worker: what keeps it from running cells; empty if nothing does."""
    from sociolect import __version__ as here

    if here != version:
        return f"has sociolect {here}, the sweep was started with {version}; install one version"
    try:
        found = token.read_text()
    except OSError:
        found = ""
    if found == text:
        return ""
    return f"does not see {token.parent}; name an --out on a file system that all machines share"


def _in_worker(job: Job) -> Outcome:
    """On a worker: run a cell.

    Ray cancels with a KeyboardInterrupt, for which `run_job` stops the run.
    """
    try:
        return run_job(job)
    except (KeyboardInterrupt, SystemExit):
        return Outcome("stopped")
    except Exception as error:  # it must not come back as one that this machine cannot read
        return failed(job, f"{type(error).__name__} on {os.uname().nodename}: {error}")


@dataclass
class _Running:
    """Cells in flight.

    Attributes:
        ray: The module.
        retries: As `run_on_ray`.
        shown: As `run_on_ray`.
        waiting: Not yet started, in their order.
        flying: Started, by Ray's reference.
    """

    ray: Any
    retries: int
    shown: Shown
    waiting: list[Job]
    flying: dict[Any, Job] = field(default_factory=dict)
    ended: dict[str, Outcome] = field(default_factory=dict)

    def run(self) -> dict[str, Outcome]:
        try:
            while self.waiting or self.flying:
                if self.waiting:
                    self._start()
                for ref in self._ready():
                    self._end(ref)
                self.shown.tick()
        except BaseException:
            self._stop()
            raise
        return self.ended

    def _ready(self) -> list[Any]:
        if not self.flying:  # a machine has left, and nothing fits on the others
            time.sleep(_POLL)
            return []
        ready, _ = self.ray.wait(list(self.flying), timeout=_POLL)
        return list(ready)

    def _start(self) -> None:
        """Start what fits beside what runs, the first ones first."""
        whole = self.ray.cluster_resources()
        free_cpus = whole.get("CPU", 0) - sum(job.cpus for job in self.flying.values())
        free_gpus = whole.get("GPU", 0) - sum(job.gpus for job in self.flying.values())
        for job in list(self.waiting):
            if job.cpus > free_cpus or job.gpus > free_gpus:
                continue
            free_cpus, free_gpus = free_cpus - job.cpus, free_gpus - job.gpus
            self.waiting.remove(job)
            task = self.ray.remote(num_cpus=job.cpus, num_gpus=job.gpus, max_retries=0)(_in_worker)
            self.flying[task.options(name=job.id).remote(job)] = job
            self.shown.started(job)

    def _end(self, ref: Any) -> None:
        job = self.flying.pop(ref)
        try:
            outcome: Outcome = self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            outcome = failed(job, f"the worker of Ray died: {_first_line(error)}")
        again = outcome.state == "failed" and job.attempt <= self.retries
        self.shown.ended(job, outcome, again=again)
        self.ended[job.id] = outcome
        if again:
            self.waiting.insert(0, replace(job, attempt=job.attempt + 1))

    def _stop(self) -> None:
        """Cancel what runs and give it time to stop its processes."""
        for ref in self.flying:
            self.ray.cancel(ref, force=False)
        until = time.monotonic() + _STOPPING
        left = list(self.flying)
        while left and time.monotonic() < until:
            _, left = self.ray.wait(left, num_returns=len(left), timeout=_POLL)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
