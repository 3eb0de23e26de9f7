"""unlatch effort verify and export."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import with_json
from unlatch.cli.render.describe import times
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.runtime.plan_making import OUTPUT, write_new
from unlatch.cli.terminal import output
from unlatch_efforts.cli.chosen import complete_effort
from unlatch_efforts.cli.conversation import store_of, tell_broken
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.export import Masker, as_markdown
from unlatch_efforts.verify import Problem, check_conversation, check_effort

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.cli.runtime.context import Context


@click.command("verify", help="Find log lines that were changed, removed or added. (local)")
@click.argument("efforts", metavar="[ID]...", nargs=-1, shell_complete=complete_effort)
@with_json
def verify_effort(context: Context, *, efforts: tuple[str, ...], as_json: bool) -> int:
    store = store_of(context)
    names = [store.find_id(word) for word in efforts] or store.names()
    checked = [(name, check_effort(store, name)) for name in names]
    if not efforts:
        talks = (Conversation(store, name) for name in Conversation.names(store))
        checked += [(f"conversation {talk.name}", check_conversation(talk)) for talk in talks]
    code = UNDECIDED if any(problems for _, problems in checked) else 0
    if as_json:
        entries = [
            {
                "id": name,
                "problems": [
                    output.fields(problem, "file", "line", "kind") for problem in problems
                ],
            }
            for name, problems in checked
        ]
        output.document("effort-verify", code, efforts=entries)
        return code
    for name, problems in checked:
        for problem in problems:
            output.failed(f"{name}: {_line(problem)}")
    sound = sum(not problems for _, problems in checked)
    output.talk(f"{sound} of {times(len(checked), 'log')} as written.")
    return code


_MESSAGES = {
    "unrecorded": ":{line}: no event records this line; a process died here, "
    "or it was added by hand",
    "differs": ": differs from the events; kept, because these have problems",
    "rebuilt": ": differed from the events; rebuilt",
}


def _line(problem: Problem) -> str:
    message = _MESSAGES.get(problem.kind, ":{line}: {kind} since it was written")
    return problem.file + message.format(line=problem.line, kind=problem.kind)


@click.command("export", help="Export an effort with probable secrets masked. (local)")
@click.argument("effort", metavar="ID", shell_complete=complete_effort)
@click.option("--jsonl", is_flag=True, help="Print log lines as JSON instead of Markdown.")
@OUTPUT
@with_context
def export_effort(context: Context, *, effort: str, jsonl: bool, file: Path | None) -> int:
    store = store_of(context)
    record = store.find(effort)
    masker = Masker()
    lines, broken = masker.lines(store.transcript(record.id).numbered())
    if jsonl:
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
    else:
        text = as_markdown(record, lines, masker)
    if file:
        write_new(file, text)
    else:
        output.data(*text.removesuffix("\n").split("\n"))
    output.talk(_masked(masker))
    tell_broken(record.id, broken)
    return 0


def _masked(masker: Masker) -> str:
    """The number of masked places, and their lines."""
    places = [place for place in masker.places if isinstance(place, str)]
    if numbers := sorted(place for place in masker.places if isinstance(place, int)):
        places.append(f"lines {', '.join(map(str, numbers))}")
    count = f"Masked {times(masker.places.total(), 'place')}"
    return count + (f" ({', '.join(places)})" if places else "") + "."
