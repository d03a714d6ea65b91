"""The command line in a process that ends when the process that started it does.

Run as `python -m sociolect.harness.sweeps.launched eval …`. A sweep that is killed hard leaves no
run behind that nobody waits for.
"""

from __future__ import annotations

import os
import signal
import threading
import time

PARENT = "SOCIOLECT_SWEEP_PARENT"
"""Variable with the number of the process that started this one."""

_EVERY = 1.0
_GRACE = 20.0


def _end_with(parent: int) -> None:
    """Wait until another process is the parent, then end this one and what it started."""
    while os.getppid() == parent:
        time.sleep(_EVERY)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE)
    os.killpg(os.getpgid(0), signal.SIGKILL)


def main() -> None:
    """Watch the parent, take signals as a terminal's program does, and run the command line."""
    parent = int(os.environ.pop(PARENT))
    # Workers of Ray, and shells that start something in the background, hand on other settings.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    from sociolect.harness import cli

    cli.main()


if __name__ == "__main__":
    main()
