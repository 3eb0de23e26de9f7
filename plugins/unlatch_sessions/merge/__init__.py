"""Merging two versions of a session's file for git, by its phases and the keys of its front matter.

The command line calls it through `driver`; the rest works on texts.
"""
