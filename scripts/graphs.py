# SPDX-License-Identifier: Apache-2.0
"""What the checks ask of graphs, which are {node: nodes it leads to}."""


def rings(graph):
    """The sets of nodes, of two or more, that all lead to each other (Tarjan)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            ring = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(ring) > 1:
                found.append(sorted(ring))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found
