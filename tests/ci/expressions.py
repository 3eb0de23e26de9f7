"""GitHub's expressions and concurrency groups, as far as the documented workflows use them.

https://docs.github.com/en/actions/reference/workflows-and-actions/expressions
https://docs.github.com/en/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Json = dict[str, Any]
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<word>[\w.-]+)|(?P<sign>&&|\|\||[!=]=|[!(),]))"
)
_TEMPLATE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)


class Reader:
    """Evaluates one expression."""

    def __init__(self, text: str, context: Json) -> None:
        self._context = context
        self._tokens = [*_tokens(text.strip())]
        self._at = 0

    def value(self) -> Any:
        found = self._any_of("||", lambda: self._any_of("&&", self._comparison))
        if self._at != len(self._tokens):
            raise ValueError(f"not understood: {self._tokens[self._at :]}")
        return found

    def _any_of(self, sign: str, part: Callable[[], Any]) -> Any:
        left = part()
        while self._take(sign):
            right = part()
            left = (left or right) if sign == "||" else (left and right)
        return left

    def _comparison(self) -> Any:
        left = self._single()
        for sign in ("==", "!="):
            if self._take(sign):
                same = _folded(left) == _folded(self._single())
                return same if sign == "==" else not same
        return left

    def _single(self) -> Any:
        if self._take("!"):
            return not self._single()
        if self._take("("):
            inner = self._any_of("||", lambda: self._any_of("&&", self._comparison))
            self._expect(")")
            return inner
        token = self._tokens[self._at]
        self._at += 1
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        return self._call(token) if self._take("(") else _read(token, self._context)

    def _call(self, name: str) -> bool:
        whole = self._single()
        self._expect(",")
        part = self._single()
        self._expect(")")
        if name not in ("contains", "startsWith"):
            raise ValueError(f"no function {name}")
        text, sought = str(_folded(whole or "")), str(_folded(part))
        return sought in text if name == "contains" else text.startswith(sought)

    def _take(self, sign: str) -> bool:
        is_next = self._tokens[self._at : self._at + 1] == [sign]
        self._at += is_next
        return is_next

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise ValueError(f"{sign} is missing")


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"not understood: {text[at:]}")
        yield match[match.lastgroup or 0]
        at = match.end()


def _read(path: str, context: Json) -> Any:
    """The value of a path; missing ones are null, as there."""
    if path in ("true", "false"):
        return path == "true"
    value: Any = context
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _folded(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def evaluate(text: str, event: Json) -> Any:
    """The value of an expression for an event."""
    return Reader(text, {"github": {"event": event}}).value()


def filled(text: str, event: Json) -> str:
    """A text with the values of its expressions."""
    return _TEMPLATE.sub(lambda match: str(evaluate(match[1], event)), text)


def survivors(workflow: Json, events: Sequence[Json]) -> list[Json]:
    """The events whose jobs run to their end, if all come while the first is handled.

    A run joins its group before `if` is evaluated; a group holds one running and one waiting run,
    and a further one takes the place of the one that waits.
    """
    cancels = workflow["concurrency"]["cancel-in-progress"]
    groups: dict[str, list[Json]] = {}
    for event in events:
        runs = groups.setdefault(filled(workflow["concurrency"]["group"], event), [])
        del runs[0 if cancels else 1 :]
        runs.append(event)
    [job] = workflow["jobs"].values()
    kept = [event for runs in groups.values() for event in runs]
    return [event for event in kept if evaluate(job.get("if", "true"), event)]
