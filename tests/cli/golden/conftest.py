"""The fleet's commands need a database."""

from tests.servers.postgres_fixtures import empty_database, postgres_server, shared_folder

__all__ = ["empty_database", "postgres_server", "shared_folder"]
