"""The size of YAML after its aliases are expanded: a few of them can make it huge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import yaml

MISFITS: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What PyYAML raises besides its own error of a scalar that its tag does not fit: `!!bool x`."""


class NestingError(Exception):
    """Values stand in each other too often, or in themselves."""


def size_of(node: yaml.Node, depth: int) -> int:
    """Values at and below a node, aliases written out; each node is measured once.

    Raises NestingError for more than `depth` values in each other.
    """
    import yaml

    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()

    def size(node: yaml.Node, depth: int) -> int:
        known = sizes.get(id(node))
        if known is not None:
            return known
        if depth < 0 or id(node) in open_nodes:
            raise NestingError
        if isinstance(node, yaml.ScalarNode):
            return 1
        below: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            below = [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            below = node.value
        open_nodes.add(id(node))
        total = 1 + sum(size(part, depth - 1) for part in below)
        open_nodes.discard(id(node))
        sizes[id(node)] = total
        return total

    return size(node, depth)
