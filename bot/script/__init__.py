"""What a script says of itself: its name, its header, its trial log, its plan."""
