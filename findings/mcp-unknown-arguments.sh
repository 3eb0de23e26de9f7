#!/usr/bin/env bash
# Package: pypi mcp
# Version: 2.3.0
# Guess: a server refuses an argument that its tool does not have; the schema that clients get lists all
# Behaviour: it is dropped without a word, and the tool runs with its defaults; the schema does not say
#   additionalProperties, so a client that checks sends it
# Relies: plugins/unlatch_mcp/server.py
# Test: tests/cli/mcp/test_messages.py::test_wrong_arguments_are_named_with_the_right_ones
source "$(dirname "$0")/common.sh"
pip_install mcp==2.3.0
project
python -I - >"$WORK/seen" <<'PYTHON'
import anyio
from mcp import Client
from mcp.server import MCPServer

server = MCPServer("demo", log_level="ERROR")


@server.tool()
def delete(path: str, dry_run: bool = False) -> str:
    return f"path={path!r} dry_run={dry_run}"


async def main() -> None:
    async with Client(server) as client:
        (tool,) = (await client.list_tools()).tools
        print("additionalProperties:", tool.input_schema.get("additionalProperties"))
        for name in ("dry_run", "dryRun"):
            result = await client.call_tool("delete", {"path": "a", name: True})
            print(name, result.is_error, result.content[0].text)


anyio.run(main)
PYTHON
seen <<'END'
additionalProperties: None
dry_run False path='a' dry_run=True
dryRun False path='a' dry_run=False
END
