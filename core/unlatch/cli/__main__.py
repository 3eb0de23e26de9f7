"""python -m unlatch.cli is unlatch."""

from unlatch.cli.main import main

main()
