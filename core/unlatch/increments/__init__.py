"""Increments: model, rules, documents, files and merging. The one place that writes their files.

Used by delivery, sync and the use cases of increments; imports spi and worklog.
"""
