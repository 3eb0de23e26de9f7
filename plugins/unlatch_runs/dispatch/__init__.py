"""Dispatch: starts workers for the tasks of a run, at most once each, and ends them.

`port` is the interface for the coordinator; `local` starts processes on this machine. Imports
worklog, project and errors, and nothing of the rest of `runs`.
"""
