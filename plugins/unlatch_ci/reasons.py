"""Reasons that a CI system passes, with what it put into them."""

import os

from unlatch.errors import UsageError
from unlatch.project.program_environment import secret_variables
from unlatch.project.registry import Registry

# Shorter values are words of many texts.
_SHORTEST = 8


def refuse_token(reason: str) -> None:
    """Refuse a reason with the value of a variable for tokens; it would be posted on items.

    Azure Pipelines replaces $(NAME), and GitLab CI $NAME, in the values of variables: Azure
    Pipelines, "Define variables" (macro syntax); GitLab, "Where variables can be used".

    Raises:
        UsageError: `secret-in-text`; the error does not have the value.
    """
    for name in sorted(secret_variables(Registry())):
        value = os.environ.get(name, "").strip()
        if len(value) >= _SHORTEST and value in reason:
            message = f"the reason contains the value of {name}"
            hint = f"write the reason without {name}: CI systems replace names of variables"
            raise UsageError("secret-in-text", message, hint=hint)
