"""Generate schemas/, docs/settings.md and docs/json.md from the models.

docs/cli.md and man/ come from the commands, findings/README.md from the scripts beside it, and
docs/reopen.svg from a run on the sandbox.

`python tools/generate.py` writes; `--check` writes nothing and fails where a file has drifted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from cli_page import cli_page
from document_schemas.documents import document_schemas
from file_schemas import file_schemas
from findings_page import page
from json_page import json_page
from man_pages import man_pages
from picture import picture

from unlatch.project.registry import Registry
from unlatch_mcp.calls import Calls
from unlatch_mcp.server import build_server, definitions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "python tools/generate.py"
# A default shows the others.
_TYPES = {"array": "list", "object": "table"}


def main() -> int:
    """Write the files, or compare them; the exit code."""
    parser = argparse.ArgumentParser(
        description="Generate schemas/, pages of docs/, man/ and findings/README.md."
    )
    parser.add_argument("--check", action="store_true", help="write nothing, fail on drift")
    parser.add_argument("--into", type=Path, default=ROOT, help="the project's folder")
    options = parser.parse_args()
    if options.check:
        return check(options.into, generated())
    write(options.into, generated())
    return 0


def write(root: Path, wanted: dict[str, str]) -> None:
    """Write the files, and remove those that are no longer generated."""
    for name, text in wanted.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in _surplus(root, wanted):
        path.unlink()


def generated() -> dict[str, str]:
    """The text of each file that is generated, by its path below the project's folder."""
    ours = _own_plugins()
    manifests = {n: m for n, m in Registry().manifests.items() if n in ours}
    documents = document_schemas()
    schemas = {**file_schemas(manifests), **documents}
    files = {
        f"schemas/{name}.schema.json": f"{json.dumps(schema, indent=2)}\n"
        for name, schema in sorted(schemas.items())
    }
    pages = {"docs/cli.md": cli_page(ours, COMMAND), "docs/settings.md": settings(schemas)}
    pages["docs/json.md"] = json_page(documents, COMMAND)
    pages["findings/README.md"] = page(ROOT, COMMAND)
    pages["docs/reopen.svg"] = picture()
    manual = {f"man/{name}": text for name, text in man_pages(ours).items()}
    return {**files, **pages, **manual, "schemas/mcp-tools.json": mcp_tools()}


def mcp_tools() -> str:
    """The definitions of all tools of the MCP server, by toolset."""
    calls = Calls(ROOT, {})
    servers = {
        toolset: build_server(calls, toolsets=(toolset,), allow_writes=True)
        for toolset in ("work", "efforts")
    }
    tools = {name: asyncio.run(definitions(server)) for name, server in servers.items()}
    return f"{json.dumps(tools, indent=2)}\n"


def drift(root: Path, wanted: dict[str, str]) -> list[str]:
    """What is not as it would be generated, in words."""
    problems = []
    for name, text in wanted.items():
        path = root / name
        if not path.exists():
            problems.append(f"{name} is missing")
        elif path.read_text(encoding="utf-8") != text:
            problems.append(f"{name} differs")
    surplus = _surplus(root, wanted)
    return problems + [f"{path.relative_to(root)} is generated from nothing" for path in surplus]


def check(root: Path, wanted: dict[str, str]) -> int:
    """Print what has drifted; the exit code."""
    problems = drift(root, wanted)
    for line in problems:
        click.echo(line, err=True)
    if problems:
        click.echo(f"{len(problems)} of the generated files have drifted; run: {COMMAND}", err=True)
    return 1 if problems else 0


def _surplus(root: Path, wanted: dict[str, str]) -> list[Path]:
    generated = [*(root / "schemas").glob("*.schema.json"), *(root / "man").glob("*.1")]
    return [path for path in sorted(generated) if str(path.relative_to(root)) not in wanted]


def _own_plugins() -> list[str]:
    # Other plugins may be installed beside ours; what is committed tells of ours alone.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return sorted(project["entry-points"]["unlatch.plugins"])


def settings(schemas: Mapping[str, Any]) -> str:
    """The lists of all settings, from the schemas of the project's and the user's config.toml."""
    project, user = _resolved(schemas["config"]), _resolved(schemas["user-config"])
    tables = {name: inner for name, inner in project["properties"].items() if _is_section(inner)}
    trackers = tables.pop("trackers")["properties"]
    top = {name: inner for name, inner in project["properties"].items() if name not in tables}
    del top["trackers"]
    sections = {"Top level": {"properties": top}}
    sections |= {f"`[{name}]`": inner for name, inner in tables.items()}
    sections |= {f"`[trackers.{name}]`": inner for name, inner in sorted(trackers.items())}
    sections["Your own configuration"] = _without_repetition(user, project["properties"])
    parts = [
        "# Settings",
        f"<!-- Generated by `{COMMAND}`; not to be edited by hand. -->",
        "[Configuration](configuration.md) explains the files and shows examples.",
    ]
    for heading, inner in sections.items():
        parts += [f"## {heading}", "\n".join(_lines(inner, ""))]
    return "\n\n".join(parts) + "\n"


def _without_repetition(user: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """The user's settings; a table that repeats settings of a project names them."""
    properties = dict(user["properties"])
    for table, inner in user["properties"].items():
        names = list(inner.get("properties", ()))
        if names and all(inner["properties"][name] == project.get(name) for name in names):
            listed = ", ".join(f"`{name}`" for name in names)
            meaning = f"{inner['description'].removesuffix('.')}: {listed} as in a project"
            properties[table] = {"type": "object", "description": meaning}
    return {**user, "properties": properties}


def _resolved(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with its references replaced by the definitions."""
    defs = schema.get("$defs", {})

    def resolve(node: Any) -> Any:
        if isinstance(node, list):
            return [resolve(inner) for inner in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            node = {**defs[node["$ref"].rpartition("/")[2]], **node}
        return {
            name: resolve(inner) for name, inner in node.items() if name not in ("$ref", "$defs")
        }

    resolved: dict[str, Any] = resolve(schema)
    return resolved


def _is_section(schema: Mapping[str, Any]) -> bool:
    return "properties" in schema


def _lines(schema: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name, inner in schema["properties"].items():
        needed = ", required" if name in schema.get("required", ()) else ""
        meaning = inner["description"].removesuffix(".")
        # A table that is no more than its settings needs no line of its own.
        if not _is_section(inner) or inner.get("additionalProperties") is not False:
            yield f"- {_with_default(prefix + name, inner)}{needed}{_values(inner)}: {meaning}"
        if _is_section(inner):
            yield from _lines(inner, f"{prefix}{name}.")


def _with_default(name: str, schema: Mapping[str, Any]) -> str:
    default = schema.get("default")
    return f"`{name}`" if default in (None, {}, []) else f"`{name} = {json.dumps(default)}`"


def _values(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        others = [json.dumps(each) for each in schema["enum"] if each != schema.get("default")]
        return "".join(f", `{each}`" for each in others)
    least, most = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
    if least is None:
        kind = _TYPES.get(schema["type"], "")
        return f" ({kind})" if kind and not schema.get("default") else ""
    return f" ({least}-{most})" if most else f" ({least}+)"


if __name__ == "__main__":
    sys.exit(main())
