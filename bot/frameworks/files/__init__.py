"""Files of a repository: their names, and YAML that nobody vouches for."""
