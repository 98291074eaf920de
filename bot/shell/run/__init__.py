"""Carries out the nodes of a syntax tree in every world: commands of all kinds, none is run."""
