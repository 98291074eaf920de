"""Hardware and settings that fit a question, published rows first."""
