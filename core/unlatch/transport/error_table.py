"""The error table of a plugin: rows that describe answers of the tracker, each with its error."""

import re
from collections.abc import Callable, Container, Iterable, Mapping

from unlatch.errors import Rejected, TrackerError, UnknownOutcome
from unlatch.spi.text import one_line
from unlatch.transport.answer import Answer
from unlatch.values import dataclass

_LONGEST_QUOTE = 300
UNKNOWN_HINT = (
    "whether it took effect is not known; `unlatch sync` checks the item before it tries again"
)


@dataclass(frozen=True, slots=True)
class Row:
    """The error for some answers of a tracker.

    Args:
        status: the HTTP status, or several.
        pattern: searched in the tracker's message, in any case; an empty one is always found,
            but not in the page of a proxy.
        error: the class of the error, by which delivery decides. `Limited` and other `Transient`
            get their `retry_after` from the answer's Retry-After; without one, `Limited` waits a
            minute.
        id: the stable kebab-case name of the error.
        message: the problem; `{said}` stands for the tracker's message.
        hint: the next step, with the same words in braces.
        header: search `pattern` in this header instead; an answer without it does not match.
        methods: the methods of the request; by default all.
        path: the end of the requested address, without its query.
        remedy: the option of `unlatch sync` with which another attempt can succeed.
    """

    status: int | Container[int]
    pattern: str
    error: type[TrackerError]
    id: str
    message: str
    hint: str | None = None
    header: str | None = None
    methods: Container[str] | None = None
    path: str = ""
    remedy: str | None = None

    def matches(self, answer: Answer, said: Callable[[Answer], str]) -> bool:
        """Whether the row describes `answer`."""
        statuses = (self.status,) if isinstance(self.status, int) else self.status
        if answer.status not in statuses or not answer.path.endswith(self.path):
            return False
        if self.methods is not None and answer.method not in self.methods:
            return False
        if not self.pattern and self.header is None and answer.is_foreign:
            return False
        text = said(answer) if self.header is None else answer.headers.get(self.header)
        return text is not None and re.search(self.pattern, text, re.IGNORECASE) is not None


def first_error(
    table: Iterable[Row],
    answer: Answer,
    said: Callable[[Answer], str] = lambda answer: answer.text,
    words: Callable[[Answer], Mapping[str, str]] = lambda _: {},
) -> TrackerError | None:
    """The error of the first row that matches; None to leave the answer to the general rules.

    Args:
        said: the tracker's message in an answer; by default the whole of its text.
        words: the values of further words in braces; it may replace `said` for people.
    """
    row = next((row for row in table if row.matches(answer, said)), None)
    if row is None:
        return None
    message = quoted(said(answer)) or f"HTTP {answer.status}"
    values = {"said": message, **words(answer)}
    hint = row.hint and row.hint.format_map(values)
    error = row.error(row.id, row.message.format_map(values), hint=hint, status=answer.status)
    error.remedy = row.remedy
    return error


def quoted(text: str) -> str:
    """A tracker's text for a message: one line, cut, without control characters."""
    return one_line(text)[:_LONGEST_QUOTE]


def unreadable(
    message: str, *, write: bool, where: str | None = None, hint: str | None = None
) -> TrackerError:
    """The error for a success that is not in the tracker's format.

    Args:
        write: whether it answers a write, which may have taken effect.
        hint: the next step after a read; after a write it is `unlatch sync`.
    """
    if write:
        return UnknownOutcome("unknown-outcome", message, where=where, hint=UNKNOWN_HINT)
    return Rejected("answer-not-understood", message, where=where, hint=hint)
