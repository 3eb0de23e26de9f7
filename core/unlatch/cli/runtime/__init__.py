"""The environment of every command: context, errors, arguments, CI annotations."""
