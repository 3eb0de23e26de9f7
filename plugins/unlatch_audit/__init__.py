"""For auditors: the report on all reopens, and the history compared with the trackers.

Called by the command line. `report` and `verify` import increments, trackers and sync, and change
nothing.
"""
