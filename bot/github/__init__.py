"""Reading a change and publishing a report."""
