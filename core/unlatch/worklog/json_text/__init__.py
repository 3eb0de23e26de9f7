"""JSON files that other tools and people also write: read, changed and merged byte by byte."""
