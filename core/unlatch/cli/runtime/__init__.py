"""The environment of every command: context, errors, arguments, CI annotations.

The values are of this process, where it is one command; a test runs many in a process.
"""

# Its command line; empty where it runs many.
command_line: list[str] = []
# The variable with the number of the pipe that tokens come from (`held_tokens`).
TOKEN_PIPE = "UNLATCH_TOKEN_PIPE"  # noqa: S105  (its name)
# The tokens that are not in its environment, by the names of their variables.
tokens: dict[str, str] = {}
