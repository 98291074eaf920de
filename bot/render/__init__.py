"""A report in each of its forms."""
