"""Runs: a coordinator that executes a plan with workers, and survives compaction and crashes.

Called by the command line. Imports worklog, project and errors; no other kind of work.
"""
