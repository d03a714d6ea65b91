"""What training changes in the process that runs it, put back afterwards."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np


@contextmanager
def own_randomness() -> Iterator[None]:
    """The trainer seeds the global generators; their states come back when the block ends."""
    import torch

    python, array = random.getstate(), np.random.get_state()  # noqa: NPY002
    devices = range(torch.cuda.device_count()) if torch.cuda.is_available() else ()
    with torch.random.fork_rng(devices=list(devices)):
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(array)  # noqa: NPY002


@contextmanager
def quiet() -> Iterator[None]:
    """Only errors of the libraries are shown: progress and log are ours.

    Silenced are the remarks that hold for every run and ask for nothing: labels of a PEFT model,
    slow attention, and what PyTorch says of its own checkpointing.
    """
    import datasets
    from transformers.utils import logging

    with ExitStack() as undo:
        undo.callback(logging.set_verbosity, logging.get_verbosity())
        if logging.is_progress_bar_enabled():
            undo.callback(logging.enable_progress_bar)
        if not datasets.are_progress_bars_disabled():
            undo.callback(datasets.enable_progress_bars)
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        datasets.disable_progress_bars()
        undo.enter_context(warnings.catch_warnings())
        for module in ("accelerate", "peft", "torch", "transformers", "trl"):
            warnings.filterwarnings("ignore", module=rf"{module}(\..*)?")
        yield
