"""The group `unlatch effort`."""
