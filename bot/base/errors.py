"""Errors that a user can cause and a user can mend.

A fault of the program is any other exception; an entry point reports the two differently.
"""


class UserError(Exception):
    """Something the user gave is wrong: the message is one sentence that says what to do next.

    Entry points print the message and exit with status 2; no traceback is shown.
    """


class UncheckedError(UserError):
    """Something could not be checked, which is no word on whether it is right.

    Entry points print the message and exit with status 3.
    """


def system_reason(error: OSError) -> str:
    """The system's reason, in lower case."""
    return (error.strerror or type(error).__name__).lower()
