"""JSON files that other tools and people also write: read, changed and merged byte by byte."""

# Far beyond any real file, and low enough for recursive functions.
MAX_DEPTH = 100
