"""The command line: commands parse, call one engine function, and show what came of it."""
