"""The commands, one file each, grouped by subject."""
