"""Real W&B runs for tests and the demonstration."""
