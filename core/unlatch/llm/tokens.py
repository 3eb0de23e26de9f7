"""The size of a text in tokens, if no counter of a model is given."""


def estimate(text: str) -> int:
    """The tokens of a text, as four characters each."""
    return -(-len(text) // 4)
