"""What every kind of work stands on: durable files, locks, ids, times and records.

Every package above uses it; it knows no kind of work and imports nothing but `errors`.
"""
