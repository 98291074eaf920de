"""What the checks share: their base types, what runs them, the settings, the text."""
