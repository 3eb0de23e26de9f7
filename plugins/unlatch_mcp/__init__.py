"""The MCP server: tools for models, each a command of unlatch with its `--json` document.

A tool starts the command as a process of its own, so that it behaves as at a terminal: the same
checks, limits and locks, and nothing but the protocol on stdout.
"""
