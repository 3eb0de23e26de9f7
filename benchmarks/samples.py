"""Conversations whose right answer is known: the requirement's examples, and others set aside.

Nothing is tuned on HELD_OUT: it was written before the results of any of its messages were seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Done:
    """The efforts that were opened and reopened in one turn, and the text for the user."""

    opened: frozenset[str]
    reopened: frozenset[str]
    text: str

    def asked_about(self, effort: str) -> bool:
        """Whether the user was asked, with the effort's name, before anything was done."""
        return not self.opened | self.reopened and effort in self.text and "?" in self.text

    def opened_another(self) -> bool:
        """Whether a new effort was opened and none reopened."""
        return bool(self.opened) and not self.reopened


@dataclass(frozen=True, slots=True)
class Case:
    """An example: the messages of the user and the expected result of each."""

    kind: str
    name: str
    turns: tuple[tuple[str, Callable[[Done], bool]], ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """Examples about the same concluded efforts.

    Args:
        concluded: the efforts concluded before each case: id and summary.
        unrelated: messages that resemble none of them: a question would be noise.
    """

    name: str
    concluded: Mapping[str, str]
    cases: tuple[Case, ...]
    unrelated: tuple[str, ...]

    def asked_needlessly(self, done: Done) -> bool:
        """Whether the user was asked about any of the concluded efforts."""
        return any(done.asked_about(effort) for effort in self.concluded)


def _asks(effort: str) -> Callable[[Done], bool]:
    return lambda done: done.asked_about(effort)


def _reopens(effort: str) -> Callable[[Done], bool]:
    return lambda done: effort in done.reopened


def _explicit(*pairs: tuple[str, str]) -> tuple[Case, ...]:
    return tuple(
        Case("explicit", f"explicit {number}", ((text, _reopens(effort)),))
        for number, (text, effort) in enumerate(pairs, 1)
    )


def _ambiguous(*pairs: tuple[str, str]) -> tuple[Case, ...]:
    return tuple(
        Case("ambiguous", f"ambiguous {number}", ((text, _asks(effort)),))
        for number, (text, effort) in enumerate(pairs, 1)
    )


def _reopened(effort: str, text: str, answer: str) -> Case:
    turns = ((text, _asks(effort)), (answer, _reopens(effort)))
    return Case("ambiguous", "ambiguous, reopened", turns)


def _declined(effort: str, text: str, answer: str) -> Case:
    turns = ((text, _asks(effort)), (answer, Done.opened_another))
    return Case("ambiguous", "ambiguous, declined", turns)


def _none(*texts: str) -> tuple[Case, ...]:
    return tuple(
        Case("none", f"none {number}", ((text, Done.opened_another),))
        for number, text in enumerate(texts, 1)
    )


REQUIREMENT = Sample(
    "requirement",
    {
        "auth-bug": "Fixed 401 errors by adding axios interceptor for token refresh.",
        "db-pool-fix": "Increased connection pool from 5 to 25, fixed exhaustion errors.",
    },
    (
        *_explicit(
            ("Let's reopen the auth-bug effort", "auth-bug"),
            ("I want to continue working on auth-bug", "auth-bug"),
            ("Reopen auth-bug, I found another issue", "auth-bug"),
            ("Let's reopen auth-bug, I found another edge case", "auth-bug"),
        ),
        *_ambiguous(
            ("I'm seeing 401 errors again", "auth-bug"),
            ("We need to look at the database connections", "db-pool-fix"),
        ),
        _reopened(
            "db-pool-fix",
            "The database is running out of connections again",
            "Reopen it, same issue",
        ),
        _declined(
            "db-pool-fix",
            "We have a different database issue — query timeouts",
            "No, this is different. New effort.",
        ),
        *_none("Let's plan my vacation to Japan"),
    ),
    (
        "Write release notes for version 2.0",
        "How do I center a div?",
        "Translate the welcome page into Spanish",
        "Draw a diagram of the billing module",
        "Rename the logo file to brand.svg",
        "What is a good name for a cat?",
        "Add a dark mode to the settings page",
        "Summarize the meeting about hiring",
        "Set up a linter for the shell scripts",
        "Plan the party for the team in June",
    ),
)

HELD_OUT = Sample(
    "held out",
    {
        "invoice-rounding": "Totals differed by a cent; amounts are rounded per line, half up.",
        "search-latency": "Search took 4 s; indexed products.name and cached facets for a minute.",
        "kitchen-renovation": "Chose oak fronts from Berger; the electrician comes in week 14.",
        "password-reset": "Links expired at once as clocks differed; now valid for 30 minutes.",
    },
    (
        *_explicit(
            ("Reopen invoice-rounding please", "invoice-rounding"),
            ("Can we pick up search-latency again?", "search-latency"),
            ("I'd like to go back to the kitchen renovation", "kitchen-renovation"),
            ("password-reset needs more work, open it again", "password-reset"),
            (
                "Let's continue with invoice-rounding: credit notes are wrong as well",
                "invoice-rounding",
            ),
            ("Back to search-latency, the cache is stale after imports", "search-latency"),
            ("Resume the password reset effort", "password-reset"),
            ("I have news about kitchen-renovation, let's go on with it", "kitchen-renovation"),
        ),
        *_ambiguous(
            ("The totals on an invoice are off by one cent", "invoice-rounding"),
            ("Search is slow again", "search-latency"),
            ("Users say the reset link has expired when they click it", "password-reset"),
            ("The electrician cannot come in week 14", "kitchen-renovation"),
            ("Customers cannot reset their password", "password-reset"),
            ("Tax is rounded wrongly on credit notes", "invoice-rounding"),
        ),
        _reopened("search-latency", "The product search needs four seconds", "Yes, reopen it"),
        _declined(
            "kitchen-renovation",
            "The oak fronts of the kitchen are scratched",
            "No, start a new one",
        ),
        *_none(
            "Let's write the onboarding guide for new colleagues",
            "I want to plan a bike tour along the Danube",
        ),
    ),
    (
        "What does HTTP status 418 mean?",
        "Write a limerick about Mondays",
        "Reset the printer to its factory settings",
        "Who won the world cup in 1990?",
        "Explain the difference between TCP and UDP",
        "Add a footer with the imprint to the website",
        "Draft a mail to the landlord about the broken heating",
        "How many weeks are left until Christmas?",
        "Search for a hotel in Vienna for two nights",
        "Move the standup to 10 o'clock",
    ),
)

SAMPLES = (REQUIREMENT, HELD_OUT)
