"""The use cases of increments: resume, complete, move, link, change scope, look back.

Sync and the command line use them; they return plans and results, and never print or prompt.
"""
