"""Files on disk: written whole or not at all, locked, and opened without following links."""
