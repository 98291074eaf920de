"""A server that stands in for W&B: the real SDK logs to it, and reads back from it."""
