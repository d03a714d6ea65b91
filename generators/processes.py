"""Worker processes that end with whoever started them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.spawn import get_preparation_data
from threading import Thread


def available() -> int:
    """CPUs that this process may use; where the system does not say, those that there are."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def check_started() -> None:
    """Refuse to work while a worker process is still starting.

    A script without `if __name__ == "__main__"` runs again in every worker that it starts, which
    would wait for its parent for ever.

    Raises:
        RuntimeError: It says what the script lacks.
    """
    get_preparation_data("")


@contextmanager
def pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Fresh processes: a forked one would share the parent's threads.

    Ctrl-C and any other error end them without waiting for their work; they end, too, with a
    parent that was killed.
    """
    others = {process.pid for process in active_children()}
    executor = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_start_worker)
    try:
        yield executor
    finally:
        for process in active_children():
            if process.pid not in others:
                process.terminate()
        executor.shutdown(cancel_futures=True)


def _start_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
