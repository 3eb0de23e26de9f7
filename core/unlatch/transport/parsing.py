"""JSON from a tracker, within what a process can hold and a library can walk."""

from __future__ import annotations

import json
import re
from typing import Any

# A text of Jira's nests some twenty deep; pydantic and msrest recurse a few times for each level.
MOST_LEVELS = 100
# A page of a hundred issues has some ten thousand values. One takes some 100 bytes of memory, and
# two or three bytes of an answer.
MOST_VALUES = 200_000
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def parse_json(body: bytes) -> Any:
    """What `body` says.

    Raises:
        ValueError: it is not JSON in UTF-8, or has more values or levels than any tracker sends.
    """
    if len(body) > MOST_VALUES and _count_values(body) > MOST_VALUES:
        raise ValueError("too many values")
    try:
        document = json.loads(body, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("too deep") from None
    # It is no deeper than it has brackets.
    if body.count(b"[") + body.count(b"{") > MOST_LEVELS:
        _check_depth(document)
    return document


def _refuse(constant: str) -> None:
    # Python alone reads NaN and Infinity; they are in no JSON.
    raise ValueError(constant)


def _count_values(body: bytes) -> int:
    bare = _STRING.sub(b"", body)
    return sum(bare.count(mark) for mark in (b",", b"[", b"{"))


def _check_depth(document: Any) -> None:
    level = [document]
    for _ in range(MOST_LEVELS):
        level = [
            part
            for whole in level
            if isinstance(whole, (dict, list))
            for part in (whole.values() if isinstance(whole, dict) else whole)
            if isinstance(part, (dict, list))
        ]
        if not level:
            return
    raise ValueError("too deep")
