"""Sessions: readable logs of agents' work that can be paused and resumed.

The truth of a session is its Markdown file, which people edit too: what the parser does not know
stays byte for byte. The command line calls it; it imports no other kind of work.
"""
