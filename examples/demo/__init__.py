"""A contribution, played from the branch to the comment: `make demo`."""
