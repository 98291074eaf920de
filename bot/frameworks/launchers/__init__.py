"""What starts a framework: launchers, their options, and how many processes they start."""
