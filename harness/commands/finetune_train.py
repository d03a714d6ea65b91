"""`sociolect finetune train`: LoRA adapters from a training set."""

from pathlib import Path
from typing import Annotated

import typer


def train_command(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="Folder made by `sociolect finetune prepare`.")
    ],
    model: Annotated[
        str, typer.Option(help="The base model that made the answers: a folder, or a Hub name.")
    ],
    out: Annotated[Path, typer.Option(help="Gets the folders clean and errors.")],
    prompts: Annotated[str, typer.Option(help="clean, errors, or both.")] = "both",
    rank: Annotated[int, typer.Option(help="LoRA rank.")] = 16,
    alpha: Annotated[int, typer.Option(help="LoRA scaling factor.")] = 32,
    dropout: Annotated[float, typer.Option(help="LoRA dropout.")] = 0.05,
    epochs: Annotated[int, typer.Option(help="Passes over the examples.")] = 1,
    learning_rate: Annotated[float, typer.Option(help="Peak; it falls along a cosine.")] = 1e-4,
    batch: Annotated[int, typer.Option(help="Examples a step, over all processes.")] = 16,
    per_device: Annotated[
        int, typer.Option(help="Examples that a process holds at once; lower needs less memory.")
    ] = 4,
    dtype: Annotated[
        str, typer.Option(help="bfloat16, float32, or auto: bfloat16 on a GPU, float32 on a CPU.")
    ] = "auto",
    gradient_checkpointing: Annotated[
        bool, typer.Option(help="Less memory, more time: activations are computed twice.")
    ] = True,
    max_length: Annotated[
        int | None,
        typer.Option(
            help="Leave out, of both sets, examples of more tokens (else what the model was made "
            "for). Nothing is cut."
        ),
    ] = None,
    save_steps: Annotated[int, typer.Option(help="Steps between checkpoints.")] = 50,
    keep_checkpoints: Annotated[
        bool, typer.Option("--keep-checkpoints", help="Keep them when an adapter is finished.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of initial weights, dropout and order.")] = 0,
    warmup: Annotated[
        float,
        typer.Option(help="Share of the steps with a rising learning rate; the paper names none."),
    ] = 0.0,
    weight_decay: Annotated[float, typer.Option(help="Of AdamW; the paper names none.")] = 0.0,
    max_grad_norm: Annotated[float, typer.Option(help="Longer gradients are scaled down.")] = 1.0,
) -> None:
    """Train one LoRA adapter on clean prompts and one on prompts with errors.

    The defaults are those of the paper (App. C.3). A stopped run goes on when the command is given
    again. Several GPUs: accelerate launch --num_processes N -m sociolect.harness.cli finetune
    train ...
    """
    from sociolect.steering.lora.job import Saving
    from sociolect.steering.lora.settings import Settings
    from sociolect.steering.lora.train import train
    from sociolect.steering.lora.training_set import PROMPT_SETS

    settings = Settings(
        rank=rank,
        alpha=alpha,
        dropout=dropout,
        epochs=epochs,
        learning_rate=learning_rate,
        batch=batch,
        per_device=per_device,
        dtype=dtype,
        gradient_checkpointing=gradient_checkpointing,
        max_length=max_length,
        seed=seed,
        warmup=warmup,
        weight_decay=weight_decay,
        max_grad_norm=max_grad_norm,
    )
    trained = train(
        data,
        model,
        out,
        settings,
        prompts=PROMPT_SETS if prompts == "both" else (prompts,),
        saving=Saving(save_steps, keep_checkpoints),
        report=lambda line: typer.echo(f"sociolect: {line}", err=True),
    )
    for one in trained:
        loss = one.record["losses"]
        typer.echo(
            f"{one.folder}: {one.record['steps']} steps, loss {loss['first']:.4f} to "
            f"{loss['last']:.4f}, {one.record['seconds']:,.0f} s"
        )
