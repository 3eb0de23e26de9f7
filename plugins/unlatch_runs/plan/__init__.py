"""The plan of a run: its grammar, its graph and its acceptance commands. Nothing here runs them."""
