"""Inputs that took too long, too much, or ended in a fault once, or that are like those."""
