"""One script or page to one report."""
