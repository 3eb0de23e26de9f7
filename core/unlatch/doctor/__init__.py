"""Check a project: one table of checks over one snapshot of its files and configuration.

`unlatch doctor` is the only caller. It may import everything but the command line.
"""
