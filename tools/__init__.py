"""What is generated and not shipped: documentation pages and the published schemas."""
