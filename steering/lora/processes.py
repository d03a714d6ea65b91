"""Training with several processes through `accelerate launch`: who writes, who waits."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from sociolect.generators.errors import InvalidInputError, ModelError, SociolectError
from sociolect.steering.lora.base import uses_gpu

_SHARDED = {"ACCELERATE_USE_DEEPSPEED": "DeepSpeed", "ACCELERATE_USE_FSDP": "FSDP"}
_FAILED = -1


@dataclass(frozen=True, slots=True)
class Processes:
    """The processes that train one model together.

    Attributes:
        index: Of this one; 0 writes all files.
        count: How many there are.
    """

    index: int
    count: int

    @property
    def is_main(self) -> bool:
        """Whether this process writes files and messages."""
        return self.index == 0

    def decided(self, decide: Callable[[], int]) -> int:
        """What the main process decides, in all processes.

        Args:
            decide: Called in the main process only; returns 0 or more.

        Raises:
            SociolectError: In the main process, what `decide` raised.
            SystemExit: In the others then.
        """
        if self.count == 1:
            return decide()
        failure: SociolectError | None = None
        answer = _FAILED
        if self.is_main:
            try:
                answer = decide()
            except SociolectError as error:
                failure = error
        answer = _broadcast(answer)
        if failure is not None:
            raise failure
        if answer == _FAILED:
            raise SystemExit(1)  # the main process says why
        return answer

    def wait(self) -> None:
        """Until every process is here."""
        if self.count > 1:
            from accelerate import PartialState

            PartialState().wait_for_everyone()


def current_processes() -> Processes:
    """The processes that this one was started with.

    Raises:
        InvalidInputError: It was launched in a way that shards the model.
        ModelError: One process sees several GPUs, which a trainer would use in an unwanted way.
    """
    import torch
    from accelerate import PartialState

    for variable, name in _SHARDED.items():
        if os.environ.get(variable, "").lower() in ("1", "true"):
            raise InvalidInputError(
                f"accelerate is configured for {name}, which shards the model; adapters are "
                "trained with one whole model a process. Use `accelerate launch --multi_gpu`."
            )
    state = PartialState(cpu=not uses_gpu())
    if state.num_processes == 1 and uses_gpu() and torch.cuda.device_count() > 1:
        raise ModelError(
            f"{torch.cuda.device_count()} GPUs are visible to one process. Choose one with "
            "CUDA_VISIBLE_DEVICES=0, or use all with `accelerate launch --multi_gpu "
            "--num_processes N -m sociolect.harness.cli finetune train ...`."
        )
    return Processes(state.process_index, state.num_processes)


def _broadcast(answer: int) -> int:
    import torch
    from accelerate import PartialState
    from accelerate.utils import broadcast

    sent = torch.tensor([answer], device=PartialState().device)
    return int(broadcast(sent).item())
