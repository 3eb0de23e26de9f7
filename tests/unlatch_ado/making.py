"""The items, changes and plugins that the tests of the Azure DevOps plugin share."""

import html
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from unlatch.spi import Change, Draft, Goal, ItemRef, Outcome
from unlatch.spi.text import Span, Text
from unlatch.transport import for_tests
from unlatch_ado.plugin import AdoPlugin
from unlatch_ado.settings import AdoSettings
from unlatch_sandbox import Sandbox

OP = "01JABCDEFGHJKMNPQRSTVWXYZ0"
OTHER_OP = "01JABCDEFGHJKMNPQRSTVWXYZ1"
MARKER = f"<p>unlatch ref {OP}</p>"
HOSTILE = (
    "--> $& \\1 'single' \"double\" </p><script>alert(1)</script> @all {code} ; , "
    "\u202e\x07\x1b[31m\nnext line &amp; ##vso[task.setvariable]"
)
CLEANED = HOSTILE.replace("\u202e", "").replace("\x07", "").replace("\x1b[31m", "")


def settings(box: Sandbox, **more: Any) -> AdoSettings:
    given = {"organization_url": box.ado.organization_url, "project": "widgets", **more}
    return AdoSettings.model_validate(given)


def plugin_for(
    box: Sandbox, *, cache: Path | None = None, token: str | None = None, **more: Any
) -> AdoPlugin:
    chosen = settings(box, **more)
    secret = token or box.ado.token
    return AdoPlugin(chosen, for_tests("ado", chosen.base_url, token=secret, cache=cache))


def ref(box: Sandbox, item: int, project: str = "widgets") -> ItemRef:
    return settings(box).ref(project, str(item))


def words(*lines: str) -> Text:
    return tuple((Span(line),) for line in lines)


def reopening(**more: Any) -> Change:
    given: dict[str, Any] = {
        "op": OP,
        "goal": Goal.OPEN,
        "comment": words("Bug discovered"),
        "add_labels": ("reopened",),
        "remove_labels": ("completed",),
    }
    return Change(**{**given, **more})


def draft(body: str = "Kept text", *, title: str = "Smart discipline", **more: Any) -> Draft:
    given: dict[str, Any] = {"increment": "0007-smart", "type": "feature", **more}
    return Draft(title=title, body=words(body), **given)


def creating(made_from: Draft | None = None, *labels: str) -> Change:
    return Change(OP, draft=made_from or draft(), add_labels=labels)


def editing(made_from: Draft | None = None) -> Change:
    return Change(OTHER_OP, draft=made_from or draft())


def write_change(plugin: AdoPlugin, item: ItemRef, change: Change | None = None) -> Outcome:
    """An item is read for a change, and then changed."""
    wanted = change or reopening()
    return plugin.write(plugin.read(item, wanted), wanted)


def sent_requests(box: Sandbox) -> list[str]:
    """The requests that reached the server, without those that ask for routes and types."""
    return [
        entry.method
        for entry in box.requests.entries("ado")
        if entry.method != "OPTIONS" and "workitemtypes" not in entry.path.lower()
    ]


def closed_item(box: Sandbox, **more: Any) -> int:
    given: dict[str, Any] = {"title": "Smart", "state": "Closed", "tags": ["completed", "area: x"]}
    return box.ado.add_work_item(**{**given, **more})


def add_noise(box: Sandbox, numbers: range) -> list[ItemRef]:
    """Work items with these numbers: without them, each would look for the highest."""
    with box.ado.boards.store.transaction():
        return [ref(box, box.ado.add_work_item(title="noise", id=number)) for number in numbers]


def add_comments(box: Sandbox, number: int, count: int) -> None:
    """Comments that no test asks for: each that is asked for reads all before it."""
    boards = box.ado.boards
    with boards.store.transaction():
        for _ in range(count):
            item = boards.item(number)
            assert item is not None
            boards.revise(item, {"System.History": "noise"}, "Mona")


def day_ago() -> datetime:
    return datetime.now(UTC) - timedelta(days=1)


def read_back(text: str) -> str:
    lines = text.replace("<br>", "\n").replace("</p><p>", "\n\n")
    return html.unescape(re.sub(r"</?[pb]>", "", lines))
