"""The environment of every command: session, output, errors, CI annotations."""
