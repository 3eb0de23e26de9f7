"""`unlatch fleet serve`: takes webhooks and only enqueues, and shows how the fleet does.

The command imports it after it knows that the extra `fleet` is installed. What the queue and the
page need of the database stands in `ports`.
"""
