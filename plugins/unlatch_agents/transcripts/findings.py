"""Failures, decisions and corrections in a conversation, each with the rule that found it.

A wrong finding costs more than a missing one, so each rule uses few, certain signs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch_agents.transcripts.conversation import Event, Interruption, Prompt, Reply, ToolCall
from unlatch_agents.transcripts.values import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to learn from; `key` is the event's key, `text` its words."""

    rule: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Failure(Finding):
    """A tool call that failed."""


@dataclass(frozen=True, slots=True)
class Decision(Finding):
    """Something that a person or the agent decided."""


@dataclass(frozen=True, slots=True)
class Correction(Finding):
    """A person's words about the agent's last act; empty if the person only refused a call."""


# The agents' names of tools.
_PLANS = frozenset(("ExitPlanMode", "exit_plan_mode", "plan_exit"))
_QUESTIONS = frozenset(("AskUserQuestion", "request_user_input", "ask_user", "question"))
_APPROVED = re.compile(r"(?<!not )\bapproved\b", re.IGNORECASE)
# The agents' own words around the answers, and around those to a refused call.
_ANSWERED = re.compile(
    r"User has answered[^:]*:\s*(.+?)(?:\.\s*You can now continue[^\n]*)?$", re.DOTALL
)
_REFUSED = re.compile(r"(?:the user said:\n|the following feedback: )(.+)", re.DOTALL)
_DECIDED = re.compile(
    r"^[ \t*_#-]*(?:decision|decided)[*_]*:[*_]*[ \t]*\S.*"
    r"|^(?![ \t]*>)(?P<prose>.*\b(?:I|we)(?:['\u2019]ve| have)? "
    r"decided (?:to|on|that|against|not)\b.*)",
    re.IGNORECASE | re.MULTILINE,
)
_QUESTION = re.compile(r"\?\s*$")
_CONDITION = re.compile(
    r"\b(?:if|when|what|whether|until|before|unless|once|why|how|had|have) (?:I|we)\b",
    re.IGNORECASE,
)
_FENCED = re.compile(r"^[ ]*(```|~~~).*?(?:^[ ]*\1[ ]*$|\Z)", re.DOTALL | re.MULTILINE)
_GO_ON = re.compile(
    r"(?:please )?(?:continue|go on|go ahead|proceed|resume|retry)\W*$", re.IGNORECASE
)
# The beginnings of prompts that revert the agent's act.
_OPENING = re.compile(
    r"(?:wait,? |actually,? |sorry,? |please )?(?:"
    r"no[,.!:;]\s+(?!thanks|thank you|problem|worries|need)\w"
    r"|(?:do not|don['\u2019]?t|never) (?!forget|worry|hesitate|bother|mind|know|see|understand"
    r"|think|you|i |we )\w"
    r"|stop (?:that|this|it|doing|adding|using|changing|creating|writing)\b"
    r"|instead(?: of\b|,)"
    r"|(?:revert|undo|roll back|take back) (?:that|this|it|these|those|your|all|everything"
    r"|the (?:last|change|edit|commit))\b"
    r"|(?:that|this|it)(?:['\u2019]?s| is| was) (?:(?:completely |still |all )?(?:wrong|incorrect)"
    r"|not (?:right(?! now)|correct|true|what i))\b"
    r"|(?:that|this|it) isn['\u2019]?t (?:right|correct|what i)\b"
    r"|not what i (?:asked|meant|wanted)\b"
    r"|you (?:misunderstood|shouldn['\u2019]?t have|should not have|were not supposed)\b"
    r"|i (?:said|told you|meant|asked (?:you )?(?:for|to))\b)",
    re.IGNORECASE,
)


def findings(events: Iterable[Event]) -> list[Finding]:
    """The findings of a conversation, in its order."""
    events = list(events)
    unordered = [finding for event in events for finding in (*_failures(event), *_decisions(event))]
    unordered += _corrections(events)
    places = {event.key: at for at, event in enumerate(events)}
    return sorted(unordered, key=lambda finding: places[finding.key])


def _failures(event: Event) -> Iterator[Finding]:
    if isinstance(event, ToolCall) and event.result:
        result = event.result
        if result.failed and not (result.rejected or result.denied):
            rule = "tool-failed" if result.exit_code is None else "exit-code"
            yield Failure(rule, event.key, result.text)


def _decisions(event: Event) -> Iterator[Finding]:
    if isinstance(event, Prompt | Reply):
        for match in _DECIDED.finditer(_FENCED.sub("", event.text)):
            if not _QUESTION.search(match[0]) and not _CONDITION.search(match["prose"] or ""):
                yield Decision("said-decided", event.key, match[0].strip())
    elif isinstance(event, ToolCall) and event.result and not event.result.failed:
        words = event.result.text
        if event.name in _PLANS and _APPROVED.search(words):
            yield Decision("plan-approved", event.key, text(event.arguments.get("plan")) or words)
        elif event.name in _QUESTIONS and (answer := _answer(words)):
            yield Decision("question-answered", event.key, answer)


def _answer(words: str) -> str:
    match = _ANSWERED.match(words)
    return match[1] if match else "" if words.startswith("User ") else words.strip()


def _corrections(events: Iterable[Event]) -> Iterator[Finding]:
    """Prompts that correct, and refused calls; a refusal and the prompt after it are one."""
    refused: Correction | None = None
    interrupted = False
    last: Event | None = None
    for event in events:
        if isinstance(event, Prompt):
            if correction := _correction(event, last, refused, interrupted=interrupted):
                yield correction
            refused, interrupted, last = None, False, None
        elif isinstance(event, Interruption):
            interrupted = not event.is_end
        elif isinstance(event, Reply | ToolCall):
            if refused:
                yield refused
            refused, interrupted, last = _refusal(event), False, event
            if refused and refused.text:
                yield refused
                refused = None
    if refused:
        yield refused


def _refusal(event: Event) -> Correction | None:
    if isinstance(event, ToolCall) and event.result and event.result.rejected:
        rule = "plan-refused" if event.name in _PLANS else "call-refused"
        match = _REFUSED.search(event.result.text)
        return Correction(rule, event.key, match[1].strip() if match else "")
    return None


def _correction(
    prompt: Prompt, last: Event | None, refused: Correction | None, *, interrupted: bool
) -> Correction | None:
    """The correction in a prompt; `last` is the agent's act before it."""
    words = prompt.text.strip()
    goes_on = _GO_ON.match(words) is not None
    if refused:
        return refused if goes_on else Correction(refused.rule, prompt.key, words)
    if interrupted and not goes_on:
        return Correction("interrupted", prompt.key, words)
    is_answer = isinstance(last, Reply) and last.text.rstrip().endswith("?")
    if last is not None and not is_answer and _OPENING.match(words):
        return Correction("opening-words", prompt.key, words)
    return None
