"""Masking the text of a whole session."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unlatch.transport.trace import Masking

_CALL = re.compile(r"(?P<call>- `(?:`*+.*?(?<!`))?)(?P<arrow>`++ \u2192 )(?P<result>[^\r\n]*)")


def masked_session(text: str, masking: Masking) -> str:
    """The text of a session, masked so that tool calls stay valid."""
    runs = groupby(text.splitlines(keepends=True), key=lambda it: bool(_CALL.match(it)))
    return "".join(
        "".join(_call(it, masking) for it in run) if are_calls else masking.text("".join(run))
        for are_calls, run in runs
    )


def _call(line: str, masking: Masking) -> str:
    # A secret at the end of the call would take the result with it.
    found = _CALL.match(line)
    if not found:
        return line
    call, result = masking.text(found["call"]), masking.text(found["result"])
    return call + found["arrow"] + result + line[found.end() :]
