"""What joins the kinds of work at an increment: its efforts, sessions and runs, and a briefing.

Called by commands about increments, and only where a project has other kinds of work.
"""
