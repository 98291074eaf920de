"""The checks of the documentation page, one file each; `registry` finds them."""
