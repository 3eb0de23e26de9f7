"""Merging two versions of an increment's files by what their fields mean."""
