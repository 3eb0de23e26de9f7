"""The commands of unlatch agents."""
