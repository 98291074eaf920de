"""The rules, one file each; `_support/registry.py` finds them."""
