"""A pull request: read, checked, answered; commands in its comments; commits to its branch."""
