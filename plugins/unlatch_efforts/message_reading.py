"""What rules know of a message before a model gets it: the effort it names, resembles or answers.

Small models neither search nor ask by themselves. So what fits a message stands beside it, and a
question that is due is asked by unlatch if the model does not ask it (docs/models.md).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch_efforts.referred_efforts import keywords, mentions, named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unlatch_efforts.effort_model import Effort

# The share of a message's words, by rarity, from which an effort is a candidate. Of 20 unrelated
# messages none has a share over 0.28. A message about something that happened before needs less.
_RESEMBLES, _RESEMBLES_AGAIN, _CANDIDATES = 0.3, 0.15, 3
_AGAIN = pattern(r"\b(again|another|different|same|still)\b", re.IGNORECASE)
_NEW = pattern(r"\b(new|open an|start an)( \w+){0,2} effort\b", re.IGNORECASE)
_REOPEN = pattern(r"\b(re-?open|resume|continue|go(ing)? on|pick up|back to)\b", re.IGNORECASE)
# The question ends in these words, so that only an answer to it is taken for a decision.
_CHOICE = "Do you want to reopen it, or start a new effort?"
# Only what begins so tells to reopen: "why did we reopen it" does not.
_TELLS = pattern(
    r"\W*((let['\u2019]s|let us|please|can we|i want to|i['\u2019]d like to|we need to) )?"
    r"(re-?open|resume|continue|pick up|go on|(go )?back to)\b",
    re.IGNORECASE,
)
_UNSURE = pattern(r"\b(no|not|never|don['\u2019]t|later|tomorrow|if|when|after)\b", re.IGNORECASE)
_YES = pattern(r"\W*(yes|yeah|yep|sure|ok|okay|please|re-?open)\b", re.IGNORECASE)
_NO = pattern(r"\b(no|nope|not|don't|new|different|another|fresh|unrelated)\b", re.IGNORECASE)
_ANEW = pattern(r"\b(new|different|another|fresh)\b", re.IGNORECASE)
_BUT = pattern(r"\b(but|first|later|wait)\b|\?", re.IGNORECASE)
_NAME_WORDS = 4
# Characters of a summary in a question.
_SHOWN = 300
# Words that begin work; a small model that may choose answers instead.
_BEGINS = pattern(
    r"\W*(let['\u2019]s|let us|i want to|i['\u2019]d like to|i need to|we need to)\b", re.IGNORECASE
)
_UNKNOWN = "The next message resembles no concluded effort, so there is nothing to search. "
_NEW_TOPIC = f"{_UNKNOWN}It starts work on a topic: call open_effort with a short name of it now."
_MAYBE_NEW = (
    f"{_UNKNOWN}If it starts work on a topic, call open_effort with a short name of the topic now. "
    "If it is a question or small talk, answer without a tool."
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known of a message.

    Args:
        candidates: the concluded efforts that it names or resembles.
        ask: the one of them that the user is asked about before an effort begins.
        reopen: the one that the user wants to reopen, as the answer to the question.
        keep: the one that the user does not want to reopen.
        reason: the message that tells it, or that the question was about.
        told: the one that the message tells to reopen, if the model does not.
        begin: the name of a new effort that the user wants, if the model opens none.
        hint: what fits the message, for the model.
    """

    candidates: tuple[Effort, ...] = ()
    ask: Effort | None = None
    reopen: Effort | None = None
    keep: Effort | None = None
    told: Effort | None = None
    reason: str = ""
    begin: str = ""
    hint: str = ""

    @property
    def question(self) -> str:
        """The question for the user, with the summary; empty if none is due."""
        if self.ask is None:
            return ""
        words = " ".join((self.ask.summary or "").split())
        words = words if len(words) <= _SHOWN else f"{words[:_SHOWN]}..."
        summary = f" - '{words}'" if words else ""
        return f"I found a related concluded effort: {self.ask.id}{summary} {_CHOICE}"


def read(
    message: str,
    efforts: Sequence[Effort],
    hits: Sequence[Mapping[str, Any]],
    *,
    active: str | None,
    last: tuple[str, str],
) -> Reading:
    """What is known of a message.

    Args:
        hits: what a search for the message found, the best first.
        last: the last message outside of efforts, and the answer, which may have asked.
    """
    concluded = {effort.id: effort for effort in efforts if not effort.is_open}
    direct = named(message, concluded.values())
    enough = _RESEMBLES_AGAIN if _AGAIN.search(message) else _RESEMBLES
    best = sorted(hits, key=lambda hit: hit.get("score", 0), reverse=True)
    likely = [str(hit["id"]) for hit in best if hit.get("score", 0) >= enough]
    similar = [concluded[name] for name in likely if name in concluded]
    if _REOPEN.search(message):
        direct += [
            effort for effort in similar if effort not in direct and mentions(message, effort)
        ]
    candidates = tuple({effort.id: effort for effort in (*direct, *similar)}.values())[:_CANDIDATES]
    if direct:
        is_told = len(direct) == 1 and _TELLS.match(message) and not _UNSURE.search(message)
        told = direct[0] if is_told else None
        return Reading(candidates, told=told, reason=message, hint=_named_hint(direct[0].id))
    if active is not None:
        return Reading(candidates)  # the message belongs there
    asked = [effort for effort in concluded.values() if "?" in last[1] and effort.id in last[1]]
    if asked and (not candidates or {*asked} & {*candidates}):
        return _answered(message, candidates, asked, last)
    if not likely:
        begins = _BEGINS.match(message) and "?" not in message
        return Reading(hint=_NEW_TOPIC if begins else _MAYBE_NEW)
    is_open = {effort.id for effort in efforts if effort.is_open}
    if not candidates or likely[0] in is_open or _NEW.search(message):
        return Reading(candidates)
    return Reading(candidates, ask=candidates[0], hint=_ask_hint(candidates[0].id))


def asks_about(effort: Effort, answer: str) -> bool:
    """Whether a model's answer asks about an effort, which was said to be the one in question."""
    return "?" in answer and (effort.id in answer or "reopen" in answer.lower())


def _answered(
    message: str, candidates: tuple[Effort, ...], asked: Sequence[Effort], last: tuple[str, str]
) -> Reading:
    """What is known of the answer to a question."""
    effort, (about, question) = asked[0], last
    agrees, declines = bool(_YES.match(message)), bool(_NO.search(message))
    is_clear = len(asked) == 1 and question.endswith(_CHOICE) and not _BUT.search(message)
    if is_clear and agrees and not declines:
        return Reading(candidates, reopen=effort, reason=about, hint=_agreed_hint(effort.id))
    if is_clear and declines and not agrees:
        begin = " ".join(_topic(about)) if _ANEW.search(message) else ""
        return Reading(candidates, keep=effort, begin=begin, hint=_declined_hint(effort.id))
    return Reading(candidates, hint=_answer_hint(effort.id))


def _topic(message: str) -> list[str]:
    """The first words of a message that tell its topic."""
    tokens = re.findall(r"\w+", message.lower())
    words = (word for word in tokens if keywords(word) and not _ANEW.match(word))
    return [*dict.fromkeys(words)][:_NAME_WORDS]


def _named_hint(effort: str) -> str:
    return (
        f"The next message names the concluded effort {effort}. If the user wants to go on "
        f"with it, call reopen_effort with id {effort} now, without asking."
    )


def _ask_hint(effort: str) -> str:
    return (
        f"The next message may be about the concluded effort {effort}, but does not name it. Do "
        f'not call a tool. Answer only with this question: "I found the concluded effort {effort}. '
        f'{_CHOICE}"'
    )


def _agreed_hint(effort: str) -> str:
    return f"{effort} is reopened, as the user wants. Go on with it."


def _declined_hint(effort: str) -> str:
    return (
        f"The user does not want to reopen {effort}. Call open_effort now, with a short name for "
        "the user's topic."
    )


def _answer_hint(effort: str) -> str:
    return (
        f"You asked about {effort}. If the user wants to reopen it, call reopen_effort with id "
        f"{effort}. If the user wants a new effort, call open_effort with a short name."
    )
