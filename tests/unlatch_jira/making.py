"""Builders for tests: plugins, references, changes, and the resulting issues."""

import html
from datetime import UTC, datetime
from typing import Any

from unlatch.spi import (
    Change,
    DeliveryOptions,
    Draft,
    Goal,
    ItemRef,
    Outcome,
    Scheme,
    Span,
    SyncPlugin,
    Text,
)
from unlatch.transport import Transport, for_tests
from unlatch_jira.api.rich_text import plain
from unlatch_jira.plugin import JiraPlugin
from unlatch_jira.settings import JiraSettings
from unlatch_sandbox import Sandbox

OP = "01JC0000000000000000000001"
OTHER_OP = "01JC0000000000000000000002"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
WITH_PATHS = DeliveryOptions(plugin=frozenset({"allow-path"}))
WITH_CHILDREN = DeliveryOptions(plugin=frozenset({"children"}))


def settings_for(box: Sandbox, **more: Any) -> JiraSettings:
    given = {"site": box.jira.site, "project": "SCRUM", "api_version": box.jira.api_version}
    return JiraSettings.model_validate({**given, **more})


def transport_for(box: Sandbox, *, token: str | None = None) -> Transport:
    site = box.jira.site
    if box.jira.deployment == "Server":
        return for_tests("jira", site, token=token or box.jira.pat)
    secret, user = token or box.jira.token, box.jira.email
    return for_tests("jira", site, token=secret, user=user, scheme=Scheme.BASIC)


def plugin_for(box: Sandbox, *, token: str | None = None, **more: Any) -> JiraPlugin:
    return JiraPlugin(settings_for(box, **more), transport_for(box, token=token))


def deliver(plugin: SyncPlugin, at: ItemRef, change: Change) -> Outcome:
    """One attempt of delivery with a plugin."""
    return plugin.write(plugin.read(at, change), change)


def ref(box: Sandbox, key: str) -> ItemRef:
    return settings_for(box).ref(key)


def done_issue(
    box: Sandbox, *, labels: tuple[str, ...] = ("completed", "mine"), resolution: str | None = None
) -> str:
    return box.jira.add_issue(
        type="Epic", summary="Smart discipline", status="Done", labels=labels, resolution=resolution
    )


def text(words: str) -> Text:
    return ((Span("Reopened", bold=True), Span(f": {words}")),)


REOPEN = Change(
    op=OP,
    goal=Goal.OPEN,
    comment=text("Bug discovered in error handling"),
    add_labels=("reopened",),
    remove_labels=("completed",),
)
CLOSE = Change(
    op=OP,
    goal=Goal.COMPLETED,
    comment=((Span("Completed", bold=True),),),
    add_labels=("completed",),
    remove_labels=("reopened",),
)
CREATE = Change(op=OP, add_labels=("increment",))
UPDATE = Change(op=OP)


def draft(title: str = "Smart discipline", body: str = "What it is about") -> Draft:
    return Draft(increment="0007-smart-discipline", title=title, type=None, body=((Span(body),),))


def field(box: Sandbox, key: str, name: str) -> Any:
    return box.jira.issue(key)["fields"][name]


def status(box: Sandbox, key: str) -> str:
    return str(field(box, key, "status")["name"])


def resolution(box: Sandbox, key: str) -> str | None:
    found = field(box, key, "resolution")
    return None if found is None else str(found["name"])


def comments(box: Sandbox, key: str) -> list[str]:
    return [plain(comment["body"]) for comment in box.jira.comments(key)]


def sent(box: Sandbox) -> list[str]:
    """The requests since the last reset, as "METHOD path below the API"."""
    below = f"/rest/api/{box.jira.api_version}"
    return [
        f"{request.method} {request.path.removeprefix(below)}"
        for request in box.requests.entries("jira")
    ]


def unescaped(wiki: str) -> str:
    """The visible text of wiki markup in which every mark is escaped or an entity."""
    characters = iter(wiki)
    shown = "".join(next(characters) if char == "\\" else char for char in characters)
    return html.unescape(shown)
