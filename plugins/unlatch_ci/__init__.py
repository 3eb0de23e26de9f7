"""For jobs of CI systems: publish what a sync changed, report it, process events, apply plans.

It also lets people on trackers ask for what the command line does. Called by the command line.
"""
