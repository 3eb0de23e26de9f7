"""Export an effort to a file, with probable secrets masked."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from unlatch.errors.known_secrets import MASK
from unlatch.transport.trace import Masking
from unlatch.worklog.text.secrets import mask_values
from unlatch_efforts.entries import entry_text, speaker

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch_efforts.effort_model import Effort


class Masker:
    """Masks probable secrets and the path of the user's home folder.

    `places` has the number of masks by place: the number of a log line from 1, `title` or
    `summary`.
    """

    def __init__(self) -> None:
        self.places = Counter[int | str]()
        self._masking = Masking()

    def lines(
        self, log: Iterable[tuple[int, dict[str, Any] | None]]
    ) -> tuple[list[dict[str, Any]], list[int]]:
        """The masked lines of a numbered log, and the numbers of unreadable ones."""
        lines: list[dict[str, Any]] = []
        broken: list[int] = []
        for number, line in log:
            if line is None:
                broken.append(number)
            else:
                lines.append(self._line(line, number))
        return lines, broken

    def text(self, text: str, place: int | str) -> str:
        """A text, masked."""
        before = self._masking.count
        masked = self._masking.text(text)
        if count := self._masking.count - before:
            self.places[place] += count
        return masked

    def _line(self, line: dict[str, Any], place: int) -> dict[str, Any]:
        def whole() -> str:
            self.places[place] += 1
            return MASK

        masked: dict[str, Any] = mask_values(line, lambda text: self.text(text, place), whole=whole)
        return masked


def as_markdown(effort: Effort, lines: Sequence[dict[str, Any]], masker: Masker) -> str:
    """An effort in Markdown: title, summary, and the messages as quotes.

    Args:
        lines: masked ones.
    """
    title = " ".join(masker.text(effort.title, "title").split())
    parts = [f"# {title}", f"Status: {effort.status}"]
    if effort.summary:
        parts += ["Summary:", _quoted(masker.text(effort.summary, "summary"))]
    for line in lines:
        heading = " ".join(f"{speaker(line)} ({line.get('ts')})".split())
        parts += [f"## {heading}", _quoted(entry_text(line))]
    return "\n\n".join(parts) + "\n"


def _quoted(text: str) -> str:
    """A quote, so that no line of the text looks like the heading of another message."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
