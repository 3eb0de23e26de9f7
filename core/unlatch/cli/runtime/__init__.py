"""The environment of every command: session, errors, arguments, CI annotations."""
