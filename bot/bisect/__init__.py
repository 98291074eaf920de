"""Finding the largest batch: which runs to start, and what the finished ones show."""
