"""verl: which configuration a launch starts from, and its overrides to a plan."""
