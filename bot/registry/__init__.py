"""What rules of scripts and checks of the page share: discovery, metadata, findings, pages."""
