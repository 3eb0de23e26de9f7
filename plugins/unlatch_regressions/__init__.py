"""Regressions: observations that finished work is broken again, read from a repository.

`reverts` and `trailers` read the commits of a branch that `commits` lists; `messages` and `patches`
understand their texts and changes. `reports` reads the results of tests. A reader says what it saw,
and acts on nothing. It may import errors, patterns, values and git of the core.
"""
