"""A codified workflow, improved by a chat model.

The session and the workflow are data for the model: fenced in a message of the user. Its answer is
a text to be checked; nothing in it is followed.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

from unlatch.errors import StoreError

if TYPE_CHECKING:
    from unlatch.chat_model import Complete

_FENCED = re.compile(
    r"(?<!`)(?P<fence>`{3,}+)(?:markdown|md)?[ \t]*+\n(?P<text>.*?)\n(?P=fence)", re.DOTALL
)
_RUN = re.compile(r"`{3,}")


def refine(complete: Complete, session: str, workflow: str) -> str:
    """The workflow that a model makes of it.

    Args:
        session: the text of the session, without secrets.
        workflow: the text of the workflow.

    Raises:
        ModelError: the model did not answer.
        StoreError: `refinement-missing`, the answer has no workflow.
    """
    prompt = files("unlatch_sessions").joinpath("prompts/refine.md").read_text(encoding="utf-8")
    parts = (f"The session:\n\n{_fenced(session)}", f"The workflow:\n\n{_fenced(workflow)}")
    messages = [
        {"role": "system", "content": prompt},
        {"role": "user", "content": "\n\n".join(parts)},
    ]
    text = complete(messages).choices[0].message.content or ""
    match = _FENCED.search(text)
    refined = match["text"] if match else text
    if not refined.lstrip().startswith("---"):
        hint = "run the command again, or without --refine"
        raise StoreError("refinement-missing", "the model's answer has no workflow", hint=hint)
    return refined.strip() + "\n"


def _fenced(text: str) -> str:
    longest = max(map(len, _RUN.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}markdown\n{text.rstrip()}\n{fence}"
