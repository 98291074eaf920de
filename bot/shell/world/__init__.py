"""What a reading knows of the shell: its variables, its files, and the ways to a point of it.

A world is the shell in one of the states that are possible; where an unknown condition decides,
there are several.
"""
