"""unlatch session publish."""

from __future__ import annotations

from shlex import quote

import click

from unlatch.cli.options.common import with_json
from unlatch.cli.options.delivery import YES
from unlatch.cli.render.describe import times
from unlatch.cli.runtime.context import Context, require_terminal
from unlatch.cli.runtime.failure import DECLINED
from unlatch.cli.terminal import output, prompts
from unlatch_sessions.cli.chosen import complete_session, session_entry, store_of
from unlatch_sessions.imported.publishing import Draft, draft, publish
from unlatch_sessions.project import session_store


@click.command("publish", help="Copy an imported session into the project. (local)")
@click.argument("wanted", metavar="ID", shell_complete=complete_session)
@YES
@with_json
def publish_session(context: Context, *, wanted: str, yes: bool, as_json: bool) -> int:
    imports = store_of(context, imported=True)
    path = imports.find(wanted)
    copy = draft(imports, path)
    if not yes and not _ask_consent(copy, path.stem):
        return DECLINED
    project = session_store(context.workspace)
    session = project.read(publish(project, copy, now=context.workspace.clock())).session
    if as_json:
        entry = session_entry(session.meta, session.title)
        output.document(
            "session-publish", session=entry, masked=copy.masked, linked=list(copy.linked)
        )
        return 0
    output.ok(f"published {session.id}, {times(copy.masked, 'place')} masked")
    for subagent in copy.linked:
        output.remark(
            f"its subagent's session is not published: unlatch session publish {quote(subagent)}"
        )
    return 0


def _ask_consent(copy: Draft, id: str) -> bool:
    require_terminal(
        "the session is shown before it is published", f"unlatch session publish {quote(id)} --yes"
    )
    output.talk(*copy.text.rstrip("\n").split("\n"))
    output.talk("", f"{times(copy.masked, 'place')} masked. Masking finds only probable secrets.")
    return prompts.confirm("Copy this text into the project?")
