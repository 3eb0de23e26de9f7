"""A report on the reopens of a project: figures, drift, and a page; it reads only.

Called by the command line; it may import all that works on increments.
"""
