"""What the checks share: their base types, the examination that runs them, its text."""
