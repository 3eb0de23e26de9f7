"""Open addresses of items in the user's browser."""

from __future__ import annotations

import webbrowser

from unlatch.cli.terminal import output


def open_page(address: str) -> None:
    """Open a checked http or https address in the browser of BROWSER, else in the system's.

    Without a browser the address is printed as data.
    """
    output.talk(f"Opening {address} in your browser.")
    if not webbrowser.open(address):
        output.note("no browser was found; BROWSER can name one")
        output.data(address)
