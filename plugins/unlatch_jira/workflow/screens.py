"""The fields of a transition's screen, and the values for them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import Rejected
from unlatch.spi import Goal, Span
from unlatch_jira.api.rich_text import format_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from unlatch_jira.api.models import Issue
    from unlatch_jira.api.workflow_models import Named, ScreenField, Transition
    from unlatch_jira.settings import JiraSettings


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
    found = _first_called(screen.values, wanted)
    return {} if found is None else {"resolution": _reference(found)}


def resolution_notes(after: Issue, move: Transition) -> tuple[str, ...]:
    """Notes about an issue's resolution after a transition."""
    if after.item.category.is_open:
        # Jira counts an issue with a resolution as resolved in any status.
        held = after.resolution.name if after.resolution else None
        return (f"the issue kept its resolution {held!r}",) if held else ()
    screen = move.screen.get("resolution")
    if after.resolution is not None or screen is None or not screen.values:
        return ()
    offered = ", ".join(one.name or one.id or "" for one in screen.values)
    return (f"closed without a resolution; trackers.jira.resolution can be one of {offered}",)


def required_fields(move: Transition, filled: Container[str]) -> dict[str, ScreenField]:
    """The required fields of the screen that neither we nor a default fill."""
    return {
        name: field
        for name, field in move.screen.items()
        if field.required and not field.has_default and name not in filled
    }


def configured_fields(missing: Mapping[str, ScreenField], settings: JiraSettings) -> dict[str, Any]:
    """The values of `trackers.jira.fields` for missing fields, in Jira's format."""
    by_word = {word.casefold(): value for word, value in settings.fields.items()}
    found = {}
    for name, field in missing.items():
        value = by_word.get(name.casefold(), by_word.get(field.name.casefold()))
        taken = None if value is None else _taken(value, field, settings)
        if taken is not None:
            found[name] = taken
    return found


def _taken(value: Any, field: ScreenField, settings: JiraSettings) -> Any:
    """A configured value in the field's format; None if it is not allowed."""
    if isinstance(value, dict):
        return value
    if field.kind.type == "array":
        several = value if isinstance(value, list) else [value]
        taken = [_single(one, field, settings) for one in several]
        return None if None in taken else taken
    return _single(value, field, settings)


def _single(value: Any, field: ScreenField, settings: JiraSettings) -> Any:
    if isinstance(value, dict):
        return value
    word = str(value)
    if field.values:
        found = next((one for one in field.values if one.means(word)), None)
        return None if found is None else {"id": found.id} if found.id else {"value": found.value}
    if "user" in (field.kind.type, field.kind.items):
        return {"accountId" if settings.is_cloud else "name": word}
    if field.kind.type == "option":
        return {"value": word}
    if field.kind.is_formatted:
        return format_of(settings.version).render(((Span(word),),))
    return value if field.kind.type == "number" else word


def _first_called(values: Iterable[Named], wanted: Iterable[str]) -> Named | None:
    offered = list(values)
    return next((one for word in wanted for one in offered if one.is_called(word)), None)


def _reference(value: Named) -> dict[str, str]:
    # Names may be translated, so the id counts; some servers read only names.
    known = {"id": value.id, "name": value.name}
    return {key: text for key, text in known.items() if text}


def missing_fields_error(
    move: Transition, missing: Mapping[str, ScreenField], settings: JiraSettings
) -> Rejected:
    """The error for a screen that needs a person or more configuration."""
    wanted = "; ".join(describe_field(name, field) for name, field in missing.items())
    first = next(iter(missing.values())).name or next(iter(missing))
    words = {word.casefold() for word in settings.fields}
    refused = [f.name or n for n, f in missing.items() if {n, f.name.casefold()} & words]
    wrong = f" (the configured value for {', '.join(refused)} is not offered)" if refused else ""
    return Rejected(
        "transition-needs-fields",
        f"the transition {move.name!r} requires fields that unlatch cannot fill: {wanted}{wrong}",
        hint=f'set them in [trackers.jira.fields], such as "{first}" = "..."; '
        "a resolution is set by trackers.jira.resolution and dropped_resolutions",
    )


def describe_field(name: str, field: ScreenField) -> str:
    """A field with its allowed values, for messages."""
    values = [value.name or value.value or value.id or "" for value in field.values]
    return (field.name or name) + (f" (one of {', '.join(values)})" if values else "")


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
