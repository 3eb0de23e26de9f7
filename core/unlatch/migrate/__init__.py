"""Migration of a SpecWeave tree to the current shape, and back, with a journal."""
