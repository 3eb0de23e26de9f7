"""Finished work that a new issue may repeat: said, with the command that reopens it.

`likeness` scores pairs of reports, and `finished` applies it to a project's completed increments.
`new` asks for it by the entry point `unlatch.related`, and `unlatch similar` in jobs on new issues.
"""
