#!/usr/bin/env bash
# Package: pypi mcp
# Version: 2.3.0
# Guess: what a tool raises is an error whose text has its words, of whatever class it is
# Behaviour: only the words of a ToolError reach the model, behind "Error executing tool NAME: "; of
#   any other exception it gets the tool's name alone, so no reason and no next step
# Relies: plugins/unlatch_mcp/errors.py
# Test: tests/cli/mcp/test_refusals.py::test_a_text_that_no_process_takes_is_refused_as_wrong_usage
source "$(dirname "$0")/common.sh"
pip_install mcp==2.3.0
project
python -I - >"$WORK/seen" <<'PYTHON'
import anyio
from mcp import Client
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("demo", log_level="CRITICAL")


@server.tool()
def told() -> str:
    raise ToolError("no such increment")


@server.tool()
def untold() -> str:
    raise ValueError("no such increment")


async def main() -> None:
    async with Client(server) as client:
        for tool in ("told", "untold"):
            result = await client.call_tool(tool, {})
            print(f"{result.is_error} | {result.content[0].text}")


anyio.run(main)
PYTHON
seen <<'END'
True | Error executing tool told: no such increment
True | Error executing tool untold
END
