"""Merge two versions of an increment's files by the meaning of their fields.

git calls it through the merge driver, people through `unlatch merge`; it works on texts.
"""
