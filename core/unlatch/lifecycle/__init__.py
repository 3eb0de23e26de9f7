"""The use cases of increments: resume, complete, move, link, change scope, look back.

Used by sync and the command line; they return what happened, and print and ask nothing.
"""
