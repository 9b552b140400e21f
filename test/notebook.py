#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the code of a notebook as a script, and prints what each cell ends with.

usage: notebook.py FILE.ipynb

Needs nothing of Jupyter. What a notebook would draw is drawn, too, and not shown.
"""

import ast
import json
import sys

sys.dont_write_bytecode = True


def run_cell(source, name, names):
    """Run a cell; return the value of the expression that it ends with, or None."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    return last and eval(compile(ast.Expression(last.value), name, "eval"), names)


def show(value):
    """Print a value, drawn as a notebook draws it."""
    for method in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, method):
            getattr(value, method)()
    if value is not None:
        print(value)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: notebook.py FILE.ipynb")
    with open(sys.argv[1], encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    names = {"__name__": "__main__", "display": show}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            show(run_cell("".join(cell["source"]), f"cell {number}", names))


if __name__ == "__main__":
    main()
