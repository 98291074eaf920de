"""The commands of `rlbot`, one file each: `add` declares the arguments, `run` carries it out.

A command imports what it needs inside `run`, so that `rlbot --version` stays quick.
"""
