"""SHA-256 of short texts without `hashlib`, whose OpenSSL took a thirtieth of `unlatch show`."""

import sys
from importlib import import_module

# Private modules, which `random` of the standard library uses for the same reason.
_MODULE = "_sha2" if sys.version_info >= (3, 12) else "_sha256"


def sha256(content: bytes) -> str:
    """The digest in hexadecimal."""
    try:
        module = import_module(_MODULE)
    except ImportError:  # a Python that was built without it
        module = import_module("hashlib")
    digest: str = module.sha256(content).hexdigest()
    return digest
