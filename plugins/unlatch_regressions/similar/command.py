"""unlatch similar: say which finished work a new issue may repeat."""

from contextlib import suppress
from pathlib import Path
from shlex import quote

import click

from unlatch.cli.options.common import text_argument, with_json
from unlatch.cli.runtime.context import Context
from unlatch.cli.table import Entry
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.model.increment import Increment
from unlatch.worklog.name_matching import Match
from unlatch.worklog.times import stamp
from unlatch_regressions.similar.event import NewItem, read_new_item
from unlatch_regressions.similar.finished import Finished, looks_like
from unlatch_regressions.similar.likeness import Report


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @text_argument("title", required=False)
    @click.option(
        "--event",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Take title and text from the webhook event of a new issue or work item.",
    )
    @with_json
    def run(context: Context, *, title: str | None, event: Path | None, as_json: bool) -> int:
        new = read_new_item(event) if event else NewItem(Report(title or ""), "")
        if not new.report.title.strip() or (title and event):
            raise UsageError(
                "title-missing", "name a title or an event", hint="unlatch similar TITLE"
            )
        if title and (increment := _increment(context, title)):
            raise UsageError(
                "title-missing",
                f"{title} is the increment {increment.id}, and no title",
                hint=f"unlatch similar {quote(increment.title)}",
            )
        finished = looks_like(context.workspace, new.report, url=new.url)
        if as_json:
            output.document("similar", title=new.report.title, looksLike=_entry(finished))
        elif finished is None:
            output.talk("No completed increment looks like this.")
        else:
            output.data(output.clean(finished.sentence))
            output.talk(f"To reopen it: {finished.command}")
        return 0

    return run


def _increment(context: Context, title: str) -> Increment | None:
    """The increment whose number or whole name a title is."""
    manager = context.workspace.manager
    how, folders = manager.collection.match(title.strip(), up_to=Match.OTHER_CASE)
    with suppress(UnlatchError):  # a broken one has no title
        return manager.read(folders[0].name) if how is not None else None
    return None


def _entry(finished: Finished | None) -> output.Json | None:
    if finished is None:
        return None
    increment = finished.increment
    return {
        "id": increment.id,
        "title": increment.title,
        "completedAt": stamp(increment.completed_at) if increment.completed_at else None,
        "items": [*finished.items],
        "score": round(finished.score, 3),
        "next": finished.command,
    }
