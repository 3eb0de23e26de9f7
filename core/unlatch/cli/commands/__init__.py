"""The commands, one file each, in the groups of what they are about."""
