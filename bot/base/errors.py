"""Errors that a user can cause and a user can mend.

A fault of the program is any other exception; a door reports the two differently.
"""


class UserError(Exception):
    """Something the user gave is wrong: the message is one sentence that says what to do next.

    Doors print the message and exit with status 2; no traceback is shown.
    """
