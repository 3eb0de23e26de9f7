"""`python -P -m unlatch`; without -P, Python itself runs an unlatch.py of the current folder."""

import sys

if __name__ == "__main__":
    # Python puts the current folder first: a module of the project would run as one of ours.
    if not sys.flags.safe_path:
        del sys.path[0]
    from unlatch.cli.__main__ import main

    main()
