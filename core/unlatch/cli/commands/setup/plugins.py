"""unlatch plugins: list the installed tracker plugins, and write the skeleton of one."""

from pathlib import Path
from shlex import quote

import click

from unlatch.cli.options.common import JSON
from unlatch.cli.runtime.groups import Group
from unlatch.cli.table import COMMANDS, outside_names
from unlatch.cli.terminal import output
from unlatch.project.plugins.loading import is_installed
from unlatch.project.plugins.new_plugin import make_plugin
from unlatch.project.registry import Registry

# The other capabilities concern only the core.
_FOR_PEOPLE = ("create", "update", "close", "reopen", "status")


@click.group(cls=Group, invoke_without_command=True)
@JSON
@click.pass_context
def run(ctx: click.Context, /, *, as_json: bool) -> int:
    if ctx.invoked_subcommand:
        return 0
    registry = Registry()
    rows: list[output.Json] = [
        {
            **output.fields(manifest, "name", "title", "noun"),
            "capabilities": [str(capability) for capability in sorted(manifest.capabilities)],
            "ready": is_installed(manifest.requires[0]),
            "extra": manifest.requires[1].partition("[")[2].rstrip("]") or None,
            "requirement": manifest.requires[1],
        }
        for manifest in registry.manifests.values()
    ]
    broken = {name: error.message for name, error in registry.broken.items()}
    if as_json:
        output.document("plugins", plugins=rows, broken=broken)
        return 0
    cells = [
        (
            row["name"],
            row["title"],
            "ready" if row["ready"] else f"needs {row['requirement']}",
            ", ".join(
                capability for capability in row["capabilities"] if capability in _FOR_PEOPLE
            ),
        )
        for row in rows
    ]
    output.table(("Plugin", "Tracker", "Library", "Can"), cells, flexible=(3,))
    for problem in broken.values():
        output.data(f"{output.bad('broken')} {output.clean(problem)}")
    return 0


@run.command("new", help="Write the skeleton of a plugin for another tracker. (local)")
@click.argument("name", metavar="NAME")
@click.option(
    "--folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="Make the folder unlatch-NAME below DIR; by default below the current folder.",
)
@JSON
def _new(*, name: str, folder: Path, as_json: bool) -> int:
    registry = Registry()
    taken = {*COMMANDS, *outside_names(), *registry.manifests, *registry.broken}
    path, files = make_plugin(name, folder, taken=taken)
    if as_json:
        output.document("plugins-new", folder=str(path), made=files)
        return 0
    for file in files:
        output.ok(str(folder / path.name / file))
    place = quote(str(folder / path.name))
    output.talk(f"Next: cd {place} && pip install -e '.[test]' && pytest")
    return 0
