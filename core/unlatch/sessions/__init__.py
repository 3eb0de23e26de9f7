"""Sessions: readable logs of agents' work that can be paused and resumed.

The truth of a session is its Markdown file, which people also edit: unknown parts stay byte for
byte. The command line calls it; it imports no other kind of work.
"""
