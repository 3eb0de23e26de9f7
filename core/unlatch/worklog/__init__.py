"""The base of every kind of work: durable files, locks, ids, times, records, event logs.

Every package above uses it; it knows no kind of work and imports nothing but `errors`.
"""
