"""What rules share: their base types, the registry, and helpers."""
