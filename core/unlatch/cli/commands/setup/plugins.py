"""unlatch plugins: list the installed tracker plugins."""

import click

from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON
from unlatch.project.registry import Registry, is_installed

# The other capabilities concern only the core.
_FOR_PEOPLE = ("create", "update", "close", "reopen", "status")


@click.command()
@JSON
def run(*, as_json: bool) -> int:
    registry = Registry()
    rows: list[output.Json] = [
        {
            **output.fields(one, "name", "title", "noun"),
            "capabilities": [str(capability) for capability in sorted(one.capabilities)],
            "ready": is_installed(one.requires[0]),
            "extra": one.requires[1].partition("[")[2].rstrip("]") or None,
            "requirement": one.requires[1],
        }
        for one in registry.manifests.values()
    ]
    if as_json:
        output.document("plugins", plugins=rows, broken=dict(registry.broken))
        return 0
    shown = [
        (
            row["name"],
            row["title"],
            "ready" if row["ready"] else f"needs {row['requirement']}",
            ", ".join(one for one in row["capabilities"] if one in _FOR_PEOPLE),
        )
        for row in rows
    ]
    output.table(("Plugin", "Tracker", "Library", "Can"), shown, flexible=(3,))
    for name, problem in registry.broken.items():
        output.data(f"{output.bad('broken')} {name}: {output.clean(problem)}")
    return 0
