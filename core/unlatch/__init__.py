"""unlatch reopens finished work, everywhere at once."""

import sys

__version__ = "0.1.0"


class _MovedModules:
    """Finds the modules that moved to packages beside this one; asked when nobody else has one."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:  # noqa: ARG004
        if not name.startswith("unlatch."):
            return None
        from unlatch.worklog.moved_modules import spec_of  # noqa: PLC0415  (hardly ever needed)

        return spec_of(name)


sys.meta_path.append(_MovedModules)  # type: ignore[arg-type]  # it finds, and is no subclass
