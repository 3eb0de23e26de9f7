"""The base of every kind of work: files, locks, ids, times, records, events, collections.

Every package above uses it; it knows no kind of work and imports nothing but `errors`.
"""
