"""The use cases of increments: resume, complete, move, link, change scope, look back.

Used by sync and the command line; they return plans and results, and never print or prompt.
"""
