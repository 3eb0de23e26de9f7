"""Builders for tests: plugins, references, changes."""

from dataclasses import replace
from typing import Any

from unlatch.spi import Change, Draft, Goal, ItemRef, Outcome
from unlatch.spi.text import Span, Text
from unlatch.transport import for_tests
from unlatch_github.plugin import GithubPlugin
from unlatch_github.settings import GithubSettings
from unlatch_sandbox import Sandbox

REPOSITORY = "octo/widgets"
OP = "01JC0000000000000000000001"
OTHER_OP = "01JC0000000000000000000002"


def settings_for(box: Sandbox, **more: Any) -> GithubSettings:
    here = {"api_url": box.github.api_url, "web_url": box.github.web_url}
    return GithubSettings.model_validate({**here, "repository": REPOSITORY, **more})


def plugin_for(box: Sandbox, *, token: str | None = None, **more: Any) -> GithubPlugin:
    settings = settings_for(box, **more)
    transport = for_tests("github", settings.base_url, token=token or box.github.token)
    return GithubPlugin(settings, transport)


def ref(box: Sandbox, number: int, repository: str = REPOSITORY) -> ItemRef:
    return settings_for(box).ref(repository, number)


def closed_issue(
    box: Sandbox, *, labels: tuple[str, ...] = ("bug",), state_reason: str = "completed"
) -> int:
    return box.github.add_issue(
        title="Smart discipline",
        state="closed",
        state_reason=state_reason,
        labels=labels,
        assignee="hubot",
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
    comment=text("Done"),
    add_labels=("completed",),
    remove_labels=("reopened",),
)
CREATE = Change(op=OP, add_labels=("increment",))


def draft(title: str = "Smart discipline", body: str = "What it is about") -> Draft:
    return Draft(increment="0007-smart-discipline", title=title, type=None, body=((Span(body),),))


def act(plugin: GithubPlugin, at: ItemRef, change: Change) -> Outcome:
    return plugin.write(plugin.read(at, change), change)


def create(plugin: GithubPlugin, wanted: Draft, change: Change) -> Outcome:
    return plugin.create(replace(change, draft=wanted))


def update(plugin: GithubPlugin, at: ItemRef, wanted: Draft, change: Change) -> Outcome:
    return act(plugin, at, replace(change, draft=wanted))


def labels(box: Sandbox, number: int) -> list[str]:
    return [label["name"] for label in box.github.issue(REPOSITORY, number)["labels"]]


def state(box: Sandbox, number: int) -> tuple[str, str | None]:
    issue = box.github.issue(REPOSITORY, number)
    return issue["state"], issue["state_reason"]


def bodies(box: Sandbox, number: int) -> list[str]:
    return [comment["body"] for comment in box.github.comments(REPOSITORY, number)]


def sent(box: Sandbox) -> list[str]:
    """The requests since the last reset, as "METHOD path below the repository"."""
    below = f"/api/v3/repos/{REPOSITORY}"
    return [
        f"{request.method} {request.path.removeprefix(below)}"
        for request in box.requests.entries("github")
    ]
