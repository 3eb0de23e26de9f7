"""unlatch session."""
