"""What a user's surroundings lack: one check a file, each with its remedy.

A check is a module with `check(around)`, which yields answers; walking this package finds it.
"""
