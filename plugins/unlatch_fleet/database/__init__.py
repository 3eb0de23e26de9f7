"""The fleet's tables in PostgreSQL: their address, versions, and what is read and written.

Only commands that need the database import this package: psycopg is in the extra `fleet`.
"""
