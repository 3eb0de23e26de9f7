"""Fleet: one sync of each of many repositories, on one machine or on many.

A *unit* is one `unlatch sync --yes --commit push` of one repository in a clone of its own. The
truth stays in git and on the trackers: all records of the fleet may be lost at any time.
"""
