"""Transcripts on pages: commands, their output, and typed answers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

# Answers are typed after these.
PROMPTS = ("Continue? [y/N]: ", "Reason for reopening: ")
INTERRUPTION = "^C"
ASK_EXIT_CODE = "echo $?"

# Text that varies between runs, and its replacement.
_VARYING = (
    (re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}"), "ULID"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "DATE"),
    (re.compile(r"\d\d:\d\d(:\d\d)?"), "TIME"),
    (re.compile(r"\btoday\b|\byesterday\b|\b\d+ days ago\b"), "AGO"),
    (re.compile(r"127\.0\.0\.1:\d+"), "SANDBOX"),
    # Columns are as wide as the addresses in them.
    (re.compile(r"(?<=\S) {2,}"), "  "),
)
_SIGNS = ("✓ ", "✗ ")


@dataclass(frozen=True, slots=True)
class Step:
    """A command and its expected output; without output it is only run."""

    command: str
    shown: tuple[str, ...]

    @property
    def typed(self) -> tuple[tuple[str, str], ...]:
        """The prompts, each with the typed answer."""
        return tuple(
            (prompt, line.removeprefix(prompt))
            for line in self.shown
            for prompt in PROMPTS
            if line.startswith(prompt)
        )

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ends it."""
        return INTERRUPTION in self.shown


def steps(text: str) -> list[Step]:
    """The commands of a `console` block: lines after `$ `, continued after a backslash."""
    found: list[Step] = []
    lines = iter(text.splitlines())
    for line in lines:
        if not line.startswith("$ "):
            if not found:
                raise ValueError(f"a block has to begin with a command: {line!r}")
            found[-1] = Step(found[-1].command, (*found[-1].shown, line))
            continue
        command = line.removeprefix("$ ")
        while command.endswith("\\"):
            command = command.removesuffix("\\") + next(lines).strip()
        found.append(Step(command, ()))
    return found


def difference(shown: Sequence[str], printed: str) -> str | None:
    """The difference between output and page, or None.

    On the page `...` stands for any text in a line, or alone in a line for any lines. Items
    are served side by side, so that the order of neighbouring outcomes means nothing.
    """
    wanted = [line for line in _settled(shown) if line != INTERRUPTION]
    got = _settled(printed.rstrip("\n").split("\n"))
    pattern = "".join(map(_pattern, wanted))
    if re.fullmatch(pattern, "".join(f"{line}\n" for line in got)):
        return None
    return "\n".join(["shown:", *wanted, "", "printed:", *got])


def _pattern(line: str) -> str:
    if line == "...":
        return r"(?:.*\n)*?"
    return ".*".join(map(re.escape, line.split("..."))) + r"\n"


def _settled(lines: Sequence[str]) -> list[str]:
    return _ordered([constant(line.rstrip()) for line in lines])


def constant(line: str) -> str:
    """A text with a word in place of each part that varies between runs."""
    for pattern, word in _VARYING:
        line = pattern.sub(word, line)
    return line


def _ordered(lines: list[str]) -> list[str]:
    """Sort each run of outcomes, each with the indented lines below it."""
    ordered: list[str] = []
    run: list[list[str]] = []
    for line in lines:
        if line.startswith(_SIGNS):
            run.append([line])
        elif run and line.startswith("    "):
            run[-1].append(line)
        else:
            ordered += [*_flat(run), line]
            run = []
    return [*ordered, *_flat(run)]


def _flat(run: list[list[str]]) -> list[str]:
    return [line for group in sorted(run) for line in group]
