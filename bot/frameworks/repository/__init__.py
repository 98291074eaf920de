"""What the files of a repository say of its framework: copies, own configuration, releases."""
