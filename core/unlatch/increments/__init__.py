"""Increments: model, rules, documents, files and merging. Only this package writes their files.

Used by delivery, sync and the use cases of increments; imports spi and worklog.
"""
