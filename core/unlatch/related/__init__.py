"""What joins the kinds of work at an increment: its efforts, sessions and runs, briefings, search.

Called by commands, and by the packages of the kinds; they see `kinds`, the points of a briefing and
`search`. It imports increments and the project, and no kind.
"""
