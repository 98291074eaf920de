"""From a run to a contribution: its script, the script's name, the branch and what it is called."""
