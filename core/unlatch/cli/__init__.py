"""The command line: a command parses its options, calls one use case, and shows the result."""
