#!/usr/bin/env bash
# Package: pypi mcp
# Version: 2.3.0
# Guess: text for an argument of type `str | None` arrives as it is; text for a list is refused
# Behaviour: where the type is not exactly str, text that is JSON of a list, an object or null is parsed
#   before it is checked: "null" becomes no value, '["a"]' is refused as text and taken as a list
# Relies: plugins/unlatch_mcp/work_tools.py
# Test: tests/cli/mcp/test_messages.py::test_text_that_is_json_arrives_as_it_is
source "$(dirname "$0")/common.sh"
pip_install mcp==2.3.0
project
python -I - >"$WORK/seen" <<'PYTHON'
import anyio
from mcp import Client
from mcp.server import MCPServer

server = MCPServer("demo", log_level="ERROR")


@server.tool()
def plain(value: str) -> str:
    return repr(value)


@server.tool()
def optional(value: str | None = "default") -> str:
    return repr(value)


@server.tool()
def several(value: list[str]) -> str:
    return repr(value)


async def main() -> None:
    async with Client(server) as client:
        for value in ("null", '["a"]', '{"a": 1}', "7", "words"):
            said = [f"{value:8}"]
            for tool in ("plain", "optional", "several"):
                result = await client.call_tool(tool, {"value": value})
                said.append("refused" if result.is_error else result.content[0].text)
            print(" | ".join(said))


anyio.run(main)
PYTHON
seen <<'END'
null     | 'null' | None | refused
["a"]    | '["a"]' | refused | ['a']
{"a": 1} | '{"a": 1}' | refused | refused
7        | '7' | '7' | refused
words    | 'words' | 'words' | refused
END
