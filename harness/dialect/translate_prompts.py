"""What a model is asked when it translates between AAE and SAE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Step = Literal["sae", "back"]
STEPS: tuple[Step, ...] = ("sae", "back")
"""AAE into SAE, and that SAE back into AAE (dialect paper, §3)."""

PROMPT_FORMAT = 1
"""Version of these prompts; a change of their text raises it."""

STOPS = ("\n",)
"""Where the answer of a model ends that goes on with text, as one without a chat template does."""

_KEEP = (
    "Keep the meaning, the tone and the attitude, also where they are rude, playful or angry. Keep "
    "names, numbers, hashtags, emoji and emoticons as they are, and who is he and who is she. Keep "
    "the length: add nothing, explain nothing, leave nothing out. Answer with the translation "
    "only, on one line, without quotation marks around it."
)
INSTRUCTIONS: Mapping[Step, str] = {
    "sae": (
        "The text below is in African American English (AAE), a variety of English with rules of "
        "its own. Translate it into Standard American English (SAE), as somebody who grew up with "
        "SAE would have written it to a friend. What the two varieties have in common stays as it "
        f"is; do not make it more formal. {_KEEP}"
    ),
    "back": (
        "The text below is in Standard American English (SAE). Translate it into African American "
        "English (AAE), a variety of English with rules of its own, as somebody who grew up with "
        "AAE would have written it to a friend. Use a feature of AAE only where the rules of AAE "
        "have it, and no more of them than such a writer would; do not exaggerate, and add neither "
        f"slurs nor stereotypes. {_KEEP}"
    ),
}
"""In our own words; those of the paper are not published."""


def prompt(text: str, step: Step) -> str:
    """The prompt that asks for one translation.

    Args:
        text: In AAE for the step `sae`, in SAE for `back`.
        step: One of `STEPS`.
    """
    return f"{INSTRUCTIONS[step]}\n\nText: {text}\nTranslation:"
