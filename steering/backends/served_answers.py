"""The place of the text in what an OpenAI-compatible server answers."""

from __future__ import annotations

from typing import Any

Body = dict[str, Any]
"""What a server answers, as JSON."""


def only_choice(body: Body) -> Body | None:
    """The one choice of an answer; None if there is none, or more than one."""
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) != 1:
        return None
    return choices[0] if isinstance(choices[0], dict) else None


def holds_text(body: Body, *, chat: bool) -> bool:
    """Whether there is a place for the text of one answer, though nothing may stand in it.

    Args:
        body: What the server answers.
        chat: Whether the text is that of a message.
    """
    choice = only_choice(body)
    if choice is None:
        return False
    if not chat:
        return isinstance(choice.get("text"), str)
    message = choice.get("message")
    return isinstance(message, dict) and "content" in message and _is_content(message["content"])


def as_lm_eval_reads(body: Body, *, chat: bool) -> Body:
    """A body that holds text, with its index and with the text of a message in one piece.

    Some servers leave the index out, and some give the text of a message in parts; parts that are
    no text (a thought, a picture) are left out.
    """
    choice = {**body["choices"][0], "index": 0}
    if chat:
        message = choice["message"]
        choice["message"] = {**message, "content": _joined(message["content"])}
    return {**body, "choices": [choice]}


def ends_at_limit(body: Body) -> bool:
    """Whether the limit of tokens ended the answer in a body that holds one."""
    return bool(body["choices"][0].get("finish_reason") == "length")


def _is_content(content: Any) -> bool:
    if not isinstance(content, list):
        return isinstance(content, str | None)
    return all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content)


def _joined(content: str | list[Body] | None) -> str | None:
    if not isinstance(content, list):
        return content
    return "".join(str(part.get("text") or "") for part in content if part["type"] == "text")
