"""What a word of the script becomes in a world: expansions, arithmetic, patterns, assignments."""
