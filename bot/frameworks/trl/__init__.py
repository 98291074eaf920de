"""TRL: the options of its scripts and of programs, to a plan."""
