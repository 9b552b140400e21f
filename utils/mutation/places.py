# SPDX-License-Identifier: GPL-2.0-only
"""Places of C++ sources that can be broken, each in one way, and sources that hold all of them.

A place is a whole expression or statement of one line, so that a source can hold the line as it is
and as it is when broken, and choose between them at run time by the place's number: all places are
built at once.
"""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

#: What an operator, with blanks around it, is turned into.
OPERATORS = {
    " < ": (" <= ", "bound"),
    " <= ": (" < ", "bound"),
    " > ": (" >= ", "bound"),
    " >= ": (" > ", "bound"),
    " == ": (" != ", "sign"),
    " != ": (" == ", "sign"),
    " + ": (" - ", "sign"),
    " - ": (" + ", "sign"),
    " && ": (" || ", "sign"),
    " || ": (" && ", "sign"),
}

NUMBER = re.compile(r"(?<![\w.\"'])(\d+)(?![\w.\"'])")

#: Lines that hold one expression by itself: what stands before it, it, what stands after it.
EXPRESSIONS = [
    re.compile(r"^(\s*(?:\} else )?if \()(.+)(\))$"),
    re.compile(r"^(\s*while \()(.+)(\))$"),
    re.compile(r"^(\s*for \([^;]*; )([^;]+)(; [^;]*\))$"),
    re.compile(r"^(\s*return )(.+)(;)$"),
    re.compile(r"^(\s*(?:const )?[\w:.\->\[\]]+(?: [\w]+)? [-+*]?= )(.+)(;)$"),
    re.compile(r"^(\s*m_\w+[-+*]?= )(.+)(;)$"),
]

CALL = re.compile(r"^(\s+)((?:[\w.\[\]]+(?:->|\.|::))?[A-Za-z]\w*\(.*\));$")

#: Calls whose loss shows nothing: they log, or reserve memory.
SILENT = re.compile(r"NS_|reserve\(|shrink_to_fit\(|^return\b|^throw\b|^delete\b|^static_assert")

#: Text at the start of a source with places.
CHOICE = """\
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace
{

[[gnu::noinline]] bool
WlReach(int id)
{
    static const char* log = std::getenv("WL_MUTANT_LOG");
    static const int file = log ? open(log, O_WRONLY | O_APPEND | O_CREAT, 0644) : -1;
    static bool reached[100000];
    if (file >= 0 && !reached[id])
    {
        reached[id] = true;
        const auto line = std::to_string(id) + "\\n";
        [[maybe_unused]] const auto size = write(file, line.data(), line.size());
    }
    return false;
}

const int g_wlMutant = std::getenv("WL_MUTANT") ? std::atoi(std::getenv("WL_MUTANT")) : 0;

[[maybe_unused]] inline bool
WlMutant(int id)
{
    return g_wlMutant == id || (g_wlMutant < 0 && WlReach(id));
}

} // namespace

"""


@dataclass(frozen=True)
class Place:
    """One way to break one line."""

    file: str  #: below the module's folder
    line: int  #: from 1
    column: int  #: where the line differs, from 1
    kind: str  #: sign, bound, constant or call
    before: str  #: the line as it is, without blanks around it
    after: str  #: the line broken, without blanks around it
    both: str  #: the line that holds both; #ID# stands for the place's number
    nth: int = 0  #: how many equal lines of the file stand before it

    @property
    def key(self) -> str:
        """Return what names the place, whatever stands around it."""
        text = f"{self.file}\n{self.before}\n{self.after}\n{self.column}"
        text += f"\n{self.nth}" if self.nth else ""
        return hashlib.sha256(text.encode()).hexdigest()[:10]


def _is_balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return False
    return depth == 0


def _variants(expression: str):
    """Yield each broken form of an expression with its column and kind."""
    for word, (other, kind) in OPERATORS.items():
        start = expression.find(word)
        while start >= 0:
            end = start + len(word)
            yield start, kind, expression[:start] + other + expression[end:]
            start = expression.find(word, end)
    for found in NUMBER.finditer(expression):
        number = str(int(found[1]) + 1)
        yield found.start(), "constant", expression[: found.start()] + number + expression[
            found.end() :
        ]


def _places_of_line(file: str, number: int, line: str, may_start: bool):
    text = line.strip()
    if '"' in line or "'" in line or "[&" in line or "[this" in line or "{" in line:
        return
    for pattern in EXPRESSIONS:
        found = pattern.match(line)
        if not found or not _is_balanced(found[2]) or "&&&" in line:
            continue
        if "auto& " in found[1] or "constexpr" in found[1] or "static " in found[1]:
            return
        for start, kind, broken in _variants(found[2]):
            both = f"{found[1]}WlMutant(#ID#) ? ({broken}) : ({found[2]}){found[3]}"
            after = (found[1] + broken + found[3]).strip()
            yield Place(file, number, found.start(2) + start + 1, kind, text, after, both)
        return
    found = CALL.match(line)
    if found and may_start and _is_balanced(found[2]) and not SILENT.search(found[2]):
        both = f"{found[1]}if (!WlMutant(#ID#)) {found[2]};"
        yield Place(file, number, len(found[1]) + 1, "call", text, "", both)


def find_places(root: Path, file: Path) -> list[Place]:
    """Return all places of a source."""
    places = []
    name = file.relative_to(root).as_posix()
    inside = comment = False
    previous = ""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        text = line.strip()
        if text.startswith("/*"):
            comment = True
        if not comment and not text.startswith("//"):
            # Bodies of functions stand below a brace at the start of a line.
            inside = (inside or line == "{") and line != "}"
            may_start = previous == "" or previous[-1] in ";{}:" or (
                previous[-1] == ")" and previous.startswith(("if ", "for ", "while "))
            )
            if inside:
                places += _places_of_line(name, number, line.rstrip(), may_start)
            previous = text
        if text.endswith("*/"):
            comment = False
    seen = collections.Counter()
    numbered = []
    for place in places:
        numbered.append(dataclasses.replace(place, nth=seen[place.key]))
        seen[place.key] += 1
    return numbered


def choose(places: list[Place], count: int, seed: int) -> list[Place]:
    """Return some places, one a line at most, the same for a seed whatever else is there."""

    def rank(place: Place) -> str:
        return hashlib.sha256(f"{seed} {place.key}".encode()).hexdigest()

    lines = set()
    chosen = []
    for place in sorted(places, key=rank):
        if len(chosen) < count and (place.file, place.line) not in lines:
            lines.add((place.file, place.line))
            chosen.append(place)
    return sorted(chosen, key=lambda place: (place.file, place.line))


def write_source(file: Path, numbered: dict[int, Place]) -> None:
    """Put places into a source, by number."""
    lines = file.read_text().splitlines()
    for number, place in numbered.items():
        lines[place.line - 1] = place.both.replace("#ID#", str(number))
    first = next(i for i, line in enumerate(lines) if line.startswith("#include"))
    start = CHOICE.splitlines() + ["#line " + str(first + 1)]
    file.write_text("\n".join(lines[:first] + start + lines[first:]) + "\n")
