"""rlbot: checks tuning scripts for RL training of language models against their evidence."""

__version__ = "0.1.0"
