"""unlatch run."""
