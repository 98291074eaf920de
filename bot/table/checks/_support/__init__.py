"""What checks of the page share: their base types, the registry, and helpers."""
