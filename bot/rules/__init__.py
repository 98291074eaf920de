"""The rules, one file each; `registry` finds them."""
