"""The settings that each release of a framework knows: its options or keys, and their lifetimes."""
