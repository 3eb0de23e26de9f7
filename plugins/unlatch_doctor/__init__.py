"""Check a project: one table of checks over one snapshot of its files and configuration.

`unlatch doctor` prints what they find, and `unlatch config` changes the settings that they check.
A layout may bring checks of its own.
"""
