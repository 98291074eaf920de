"""Takes each defence out of a copy of the program and expects the tests to notice."""
