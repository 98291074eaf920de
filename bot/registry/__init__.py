"""What every rule is, whatever it looks at: what it says of itself, what it finds, its page."""
