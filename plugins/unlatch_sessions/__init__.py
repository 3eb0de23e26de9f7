"""Sessions: readable logs of agents' work that can be paused and resumed.

The truth of a session is its Markdown file, which people also edit: unknown parts stay byte for
byte. The entry points `unlatch.commands` and `unlatch.kinds` name it; it imports no other kind of
work.
"""
