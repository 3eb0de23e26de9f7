"""Mutations that keep the shape of an input: JSON stays JSON, and a document has whole lines."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from tests.fuzz.target import SEPARATOR

_MOST = 4


def mutated(data: bytes, words: Sequence[str], random: Random) -> bytes:
    """An input with some changes; `words` are those that the reader knows."""
    parts = data.split(SEPARATOR)
    at = random.randrange(len(parts))
    for _ in range(random.randint(1, _MOST)):
        parts[at] = _changed(parts[at], words, random)
    return SEPARATOR.join(parts)


def _changed(part: bytes, words: Sequence[str], random: Random) -> bytes:
    # The answer of a tracker has a line before its JSON.
    head, separator, body = part.partition(b"\n")
    for before, text in ((b"", part), (head + separator, body)):
        if (value := _parsed(text)) is not None:
            return before + json.dumps(_changed_value(value, words, random)).encode()
    lines = part.split(b"\n")
    at = random.randrange(len(lines))
    if (value := _parsed(lines[at])) is not None and random.random() < 0.7:
        lines[at] = json.dumps(_changed_value(value, words, random)).encode()
    else:
        _change_lines(lines, at, words, random)
    return b"\n".join(lines)


def _parsed(text: bytes) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _change_lines(lines: list[bytes], at: int, words: Sequence[str], random: Random) -> None:
    word = _word(words, random).encode("utf-8", "replace")
    line, cut = lines[at], random.randint(0, len(lines[at]))
    match random.randrange(7):
        case 0:
            lines.insert(at, random.choice(lines))
        case 1:
            del lines[at]
        case 2:
            lines[at] = line[:cut] + word + line[cut:]
        case 3:
            lines[at] = line[:cut] + b" " * random.randint(1, 8) + line[cut:]
        case 4:
            lines[at : at + 1] = [line[:cut], line[cut:]]
        case 5:
            lines[at] += b"\r"
        case _:
            lines[at] = line[:cut] + random.choice(lines)


def _changed_value(value: Any, words: Sequence[str], random: Random) -> Any:
    """A value with one change, in it or below it."""
    inner = _inner(value)
    if inner and random.random() < 0.75:
        # Else what a large answer has in its depth would hardly ever change.
        weights = [_size(one) for one in inner.values()]
        key = random.choices([*inner], weights)[0]
        value[key] = _changed_value(value[key], words, random)
        return value
    if isinstance(value, dict):
        return _changed_object(value, words, random)
    if isinstance(value, list):
        return _changed_list(value, words, random)
    return _leaf(words, random)


def _inner(value: Any) -> dict[Any, Any]:
    """The values in a value, by their keys or places."""
    if isinstance(value, dict):
        return value
    return dict(enumerate(value)) if isinstance(value, list) else {}


def _size(value: Any, depth: int = 8) -> int:
    """The number of values in a value, no deeper than that, and itself."""
    return 1 + sum(_size(one, depth - 1) for one in _inner(value).values() if depth)


def _changed_object(value: dict[str, Any], words: Sequence[str], random: Random) -> Any:
    choice = random.randrange(5)
    if choice == 0 and value:
        del value[random.choice([*value])]
    elif choice == 1 and value:
        value[_word(words, random)] = value.pop(random.choice([*value]))
    elif choice == 2 and value:
        return [value, value]
    else:
        value[_word(words, random)] = _leaf(words, random)
    return value


def _changed_list(value: list[Any], words: Sequence[str], random: Random) -> Any:
    choice = random.randrange(4)
    if choice == 0 and value:
        del value[random.randrange(len(value))]
    elif choice == 1 and value:
        value.append(random.choice(value))
    elif choice == 2 and value:
        return random.choice(value)
    else:
        value.insert(random.randint(0, len(value)), _leaf(words, random))
    return value


def _leaf(words: Sequence[str], random: Random) -> Any:
    return random.choice(
        (
            _word(words, random),
            _word(words, random),
            random.choice(
                ("", "\ud800", "2026-07-01T12:00:00Z", "9999-12-31T23:59:59Z", "x" * 300)
            ),
            random.choice((0, 1, -1, 2.5, 10**30, 1e308, True, False, None)),
            random.choice(([], {}, [[]], {"": None})),
        )
    )


def _word(words: Sequence[str], random: Random) -> str:
    return random.choice(words) if words else ""
