"""The fields of a transition's screen, and the values for them. Pure."""

from __future__ import annotations

import json
from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.errors import Rejected
from unlatch.spi import Goal, Span
from unlatch.values import dataclass
from unlatch_jira.api.rich_text import format_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from unlatch_jira.api.models import Issue
    from unlatch_jira.api.workflow_models import Named, ScreenField, Transition
    from unlatch_jira.settings import JiraSettings


# What Jira calls a value of these types, where its answer does not list the allowed ones.
_KEYS = {
    "option": "value",
    **dict.fromkeys(("component", "group", "priority", "resolution", "version"), "name"),
}


def resolution_for(
    move: Transition, goal: Goal, issue: Issue, settings: JiraSettings
) -> dict[str, Any]:
    """The value for a transition's resolution field, if it has one."""
    screen = move.screen.get("resolution")
    if screen is None:
        return {}
    if move.to.means_after(goal).is_open:
        # Jira counts an issue with a resolution as resolved in any status.
        return {} if screen.required or issue.resolution is None else {"resolution": None}
    if goal is Goal.OPEN:
        # On the way to an open status through a done one, the issue keeps its resolution.
        held = issue.resolution
        return {"resolution": _reference(held)} if screen.required and held else {}
    wanted = (settings.resolution,) if goal is Goal.COMPLETED else settings.dropped_resolutions
    value = _first_called(screen.values, wanted)
    return {} if value is None else {"resolution": _reference(value)}


def resolution_notes(after: Issue, move: Transition) -> tuple[str, ...]:
    """Notes about an issue's resolution after a transition."""
    if after.item.category.is_open:
        # Jira counts an issue with a resolution as resolved in any status.
        held = after.resolution.name if after.resolution else None
        return (f"the issue kept its resolution {held!r}",) if held else ()
    screen = move.screen.get("resolution")
    if after.resolution is not None or screen is None or not screen.values:
        return ()
    offered = ", ".join(value.name or value.id or "" for value in screen.values)
    return (f"closed without a resolution; trackers.jira.resolution can be one of {offered}",)


def required_fields(move: Transition, filled: Container[str]) -> dict[str, ScreenField]:
    """The required fields of the screen that neither we nor a default fill."""
    return {
        name: field
        for name, field in move.screen.items()
        if field.required and not field.has_default and name not in filled
    }


def configured(name: str, field: ScreenField, settings: JiraSettings, stage: str) -> Any:
    """The value of a field in `trackers.jira.fields`; None without one."""
    for values in settings.fields_for(stage):
        by_word = {word.casefold(): value for word, value in values.items()}
        for word in (name, field.name):
            if word.casefold() in by_word:
                return by_word[word.casefold()]
    return None


def wrong_values(
    fields: Mapping[str, ScreenField], taken: Container[str], settings: JiraSettings, stage: str
) -> dict[str, str]:
    """By field, what is wrong with a configured value that the field does not take."""
    values = {name: configured(name, field, settings, stage) for name, field in fields.items()}
    return {
        name: f"{field.name or name} takes {_offered(field)}, not the configured {values[name]!r}"
        for name, field in fields.items()
        if values[name] is not None and name not in taken
    }


def configured_fields(
    empty: Mapping[str, ScreenField], settings: JiraSettings, stage: str
) -> dict[str, Any]:
    """The values of `trackers.jira.fields` for empty fields, in Jira's format."""
    values = {}
    for name, field in empty.items():
        value = configured(name, field, settings, stage)
        taken = None if value is None else _taken(value, field, settings)
        if taken is not None:
            values[name] = taken
    return values


def _taken(value: Any, field: ScreenField, settings: JiraSettings) -> Any:
    """A configured value in the field's format; None if it is not allowed."""
    if isinstance(value, dict):
        return value
    if field.kind.type == "array":
        several = value if isinstance(value, list) else [value]
        taken = [_single(item, field, settings) for item in several]
        return None if None in taken else taken
    return _single(value, field, settings)


def _single(value: Any, field: ScreenField, settings: JiraSettings) -> Any:
    if isinstance(value, dict):
        return value
    word = str(value)
    if field.values:
        option = next((candidate for candidate in field.values if candidate.means(word)), None)
        return (
            None if option is None else {"id": option.id} if option.id else {"value": option.value}
        )
    kind = field.kind.items or field.kind.type
    if kind == "user":
        return {"accountId" if settings.is_cloud else "name": word}
    if kind in _KEYS:
        return {_KEYS[kind]: word}
    if field.kind.is_formatted:
        return format_of(settings.version).render(((Span(word),),))
    return value if field.kind.type == "number" else word


def _first_called(values: Iterable[Named], wanted: Iterable[str]) -> Named | None:
    offered = list(values)
    return next((option for word in wanted for option in offered if option.is_called(word)), None)


def _reference(value: Named) -> dict[str, str]:
    # Names may be translated, so the id counts; some servers read only names.
    parts = {"id": value.id, "name": value.name}
    return {key: text for key, text in parts.items() if text}


def missing_fields_error(
    move: Transition, missing: Mapping[str, ScreenField], settings: JiraSettings, stage: str
) -> Rejected:
    """The error for a screen that needs a person or more configuration."""
    wrong = wrong_values(missing, (), settings, stage)
    wanted = "; ".join(
        wrong.get(name) or describe_field(name, field) for name, field in missing.items()
    )
    return Rejected(
        "transition-needs-fields",
        f"the transition {move.name!r} requires fields that unlatch cannot fill: {wanted}",
        hint="; ".join(
            (
                _to_configure(missing, wrong, stage),
                "a resolution is set by trackers.jira.resolution and dropped_resolutions",
            )
        ),
    )


@dataclass(frozen=True, slots=True)
class Refused:
    """A transition that Jira refused, for a rule that its screen does not show.

    Args:
        fields: those that the refusal names.
        sent: those that were sent.
        unsaid: the key of the issue if the transition may take a comment and none was given.
    """

    move: Transition
    stage: str
    fields: frozenset[str]
    sent: Container[str]
    unsaid: str | None = None

    def hint(self, settings: JiraSettings) -> str:
        """What to set."""
        screen, named = self.move.screen, sorted(self.fields - {"comment"})
        present = {name: screen[name] for name in named if name in screen}
        absent = [name for name in named if name not in screen]
        if not named:
            return self._without_names()
        wrong = wrong_values(present, self.sent, settings, self.stage)
        parts = [_to_configure(present, wrong, self.stage)] if present else []
        if absent:
            parts.append(
                f"its screen has no field {', '.join(absent)}: set the field in Jira, then run it "
                "again"
            )
        return "; ".join(parts)

    def _without_names(self) -> str:
        fields = {
            name: field
            for name, field in self.move.screen.items()
            if name not in ("resolution", "comment") and name not in self.sent
        }
        parts = []
        if fields and "comment" not in self.fields:
            listed = "; ".join(describe_field(name, field) for name, field in fields.items())
            first = dict([next(iter(fields.items()))])
            parts.append(f"its screen has {listed}; {_to_set(first, self.stage)}, if its rule asks")
        if self.unsaid is not None:
            # What is pending finds the issue as it wants it then.
            key = quote(self.unsaid)
            command = f"unlatch {self.stage} {key} --item-only --reason TEXT"
            parts.append(f"its rule may want a comment: {command}, then unlatch sync {key}")
        nothing = "its screen has no other field that unlatch can set: take the transition in Jira"
        return "; or ".join(parts) or nothing


def _to_configure(fields: Mapping[str, ScreenField], wrong: Mapping[str, str], stage: str) -> str:
    rest = {name: field for name, field in fields.items() if name not in wrong}
    parts = [_to_set(rest, stage)] if rest else []
    parts += [f"correct [trackers.jira.fields]: {'; '.join(wrong.values())}"] if wrong else []
    return "; ".join(parts)


def _to_set(fields: Mapping[str, ScreenField], stage: str) -> str:
    lines = (
        f'{json.dumps(field.name or name, ensure_ascii=False)} = "..."{_listed(field)}'
        for name, field in fields.items()
    )
    return f"set it below [trackers.jira.fields.{stage}]: {', '.join(lines)}"


def describe_field(name: str, field: ScreenField) -> str:
    """A field with its allowed values, for messages."""
    return (field.name or name) + _listed(field)


def _listed(field: ScreenField) -> str:
    return f" ({_offered(field)})" if field.values else ""


def _offered(field: ScreenField) -> str:
    values = [value.name or value.value or value.id or "" for value in field.values]
    return f"one of {', '.join(values)}"


def no_effect_note(issue: Issue, move: Transition) -> str:
    """The note about a transition that Jira accepted without effect."""
    required = [
        describe_field(name, field) for name, field in move.screen.items() if field.required
    ]
    listed = f"; its screen requires {'; '.join(required)}" if required else ""
    return (
        f"Jira accepted the transition {move.name!r}, and the issue is still in "
        f"{issue.item.state!r}: take the transition in Jira to see the cause (a required "
        "field, a validator, a condition, or an automation rule that moves the issue back"
        f"{listed})"
    )
