# SPDX-License-Identifier: GPL-2.0-only
"""The page: sections of texts, figures and tables, as one HTML file that needs no other."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from .figure import Figure

FOLDER = Path(__file__).parent

#: Most letters of a text in a table that is not broken into lines, such as the names of two nodes.
SHORT = 34


@dataclass(frozen=True)
class Text:
    """A paragraph, plain text."""

    text: str
    kind: str = ""  #: class of the paragraph: note, missing, warning or nothing


@dataclass(frozen=True)
class Table:
    """A table; cells are plain text. The first `names` columns are texts, the others numbers.

    Without a header it is a list of names and values.
    """

    header: list[str]
    rows: list[list[str]]
    names: int = 1
    caption: str = ""
    narrow: bool = False  #: stands beside the figure of one column that comes after it


Block = Union[Text, Table, Figure]


@dataclass
class Section:
    """A part of the page."""

    title: str
    blocks: list[Block] = field(default_factory=list)

    def figures(self) -> Iterator[Figure]:
        """Return its figures."""
        return (block for block in self.blocks if isinstance(block, Figure))


@dataclass
class Chapter:
    """Sections about one run, or about all of them."""

    title: str
    sections: list[Section]
    folded: bool = False  #: whether it is shown only when asked for
    prefix: str = ""  #: what distinguishes its figures from those of other chapters


def missing(text: str) -> Text:
    """Return what a section says in place of what it cannot show."""
    return Text(text, "missing")


def escape(text: str) -> str:
    """Return a text as HTML."""
    return html.escape(text, quote=True)


def _table(table: Table) -> str:
    def row(cells: list[str], tag: str) -> str:
        parts = []
        for i, cell in enumerate(cells):
            long = ' class="l"' if tag == "td" and len(cell) > SHORT else ""
            kind = long if i < table.names else ' class="n"'
            parts.append(f"<{tag}{kind}>{escape(cell)}</{tag}>")
        return f"<tr>{''.join(parts)}</tr>\n"

    head = f"<thead>{row(table.header, 'th')}</thead>\n" if table.header else ""
    body = "".join(row(cells, "td") for cells in table.rows)
    caption = f"<caption>{escape(table.caption)}</caption>\n" if table.caption else ""
    kind = "" if table.header else ' class="pairs"'
    return f'<div class="scroll"><table{kind}>{caption}{head}<tbody>{body}</tbody></table></div>\n'


def _figure(figure: Figure, prefix: str) -> str:
    kind = "narrow" if figure.columns == 1 else "wide"
    return (
        f'<figure class="{kind}"><div class="scroll">{figure.inline_svg(prefix)}</div>\n'
        f"<figcaption>{escape(figure.caption)}</figcaption></figure>\n"
    )


def _block(block: Block, prefix: str = "") -> str:
    if isinstance(block, Figure):
        return _figure(block, prefix)
    if isinstance(block, Table):
        return _table(block)
    kind = f' class="{block.kind}"' if block.kind else ""
    # Browsers break lines after hyphens, also those of options.
    text = re.sub(r"--[\w=]+", r'<span class="option">\g<0></span>', escape(block.text))
    return f"<p{kind}>{text}</p>\n"


def _is_narrow(block: Block) -> bool:
    return isinstance(block, Table) and block.narrow or (
        isinstance(block, Figure) and block.columns == 1
    )


def _section(section: Section, anchor: str, prefix: str) -> str:
    body = []
    inside = False  # narrow blocks stand beside each other
    for block in section.blocks:
        narrow = _is_narrow(block)
        if narrow != inside:
            body.append('<div class="pair">\n' if narrow else "</div>\n")
            inside = narrow
        body.append(_block(block, prefix))
    body.append("</div>\n" if inside else "")
    return f'<section id="{anchor}">\n<h2>{escape(section.title)}</h2>\n{"".join(body)}</section>\n'


def _chapter(chapter: Chapter, number: int) -> tuple[str, str]:
    """Return a chapter and its entries in the list of contents."""
    links = []
    body = []
    for i, section in enumerate(chapter.sections):
        anchor = f"s{number}-{i}"
        links.append(f'<a href="#{anchor}">{escape(section.title)}</a>')
        body.append(_section(section, anchor, chapter.prefix))
    text = "".join(body)
    if chapter.folded:
        title = f"<summary>{escape(chapter.title)}</summary>"
        text = f'<details id="c{number}">{title}\n{text}</details>\n'
        return text, f'<a href="#c{number}">{escape(chapter.title)}</a>'
    return text, " ".join(links)


def make_page(title: str, lead: list[Block], chapters: list[Chapter]) -> str:
    """Return the page."""
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    script = (FOLDER / "page.js").read_text(encoding="utf-8")
    parts = [_chapter(chapter, i) for i, chapter in enumerate(chapters)]
    contents = " ".join(links for _, links in parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"<header><h1>{escape(title)}</h1>\n{''.join(map(_block, lead))}</header>\n"
        f'<nav aria-label="Contents">{contents}</nav>\n'
        f"{''.join(text for text, _ in parts)}</main>\n"
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )
