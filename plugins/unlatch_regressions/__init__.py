"""Regressions: observations that finished work is broken again, read from a repository.

`work` finds the finished work, and `readers` asks each reader of causes: `reverts` and `trailers`
read the commits of the default branch, which `branch` has; `reports` reads the results of tests. A
reader says what it saw, and acts on nothing; other packages add readers by the entry point group
`unlatch.causes`.
"""
