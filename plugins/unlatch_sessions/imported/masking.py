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
    runs = groupby(text.splitlines(keepends=True), key=lambda line: bool(_CALL.match(line)))
    return "".join(
        "".join(_call(line, masking) for line in run) if are_calls else masking.text("".join(run))
        for are_calls, run in runs
    )


def _call(line: str, masking: Masking) -> str:
    # A secret at the end of the call would take the result with it.
    match = _CALL.match(line)
    if not match:
        return line
    call, result = masking.text(match["call"]), masking.text(match["result"])
    return call + match["arrow"] + result + line[match.end() :]
