from tests.increments.files.conftest import project

__all__ = ["project"]
