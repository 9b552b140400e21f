# SPDX-License-Identifier: GPL-2.0-only
"""Finds the classes and functions of a C++ file, as far as the style of this project needs it.

Declarations are distinguished by what stands before their semicolon or brace; templates, nested classes and
lists of initializers are known, while macros that open a brace are not.
"""

import re

IGNORED = re.compile(
    r'//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL | re.MULTILINE,
)
TOKEN = re.compile(r"\w+|::|->|[^\w\s]")
ACCESS = ("public", "private", "protected")
NOT_MEMBERS = ("using", "typedef", "static_assert")


class Class:
    """A class: where it is, and what it declares."""

    def __init__(self, name, line):
        self.name = name
        self.line = line
        self.functions = 0
        self.variables = 0
        self.friends = 0

    @property
    def members(self):
        return self.functions + self.variables


class Function:
    """A function that has a body: the lines from its head to its closing brace."""

    def __init__(self, name, first, body, last):
        self.name = name
        self.first = first
        self.body = body
        self.last = last

    @property
    def length(self):
        return self.last - self.first + 1


def blank(text):
    """The text without comments, strings and directives, each line where it was."""

    def keep_lines(found):
        what = found.group()
        word = "0" if what[0] in "\"'R" else ""
        return word + "\n" * what.count("\n")

    return IGNORED.sub(keep_lines, text)


class Scanner:
    """Reads a file; fills the lists of its classes and functions."""

    def __init__(self, text):
        self.tokens = []
        for number, line in enumerate(blank(text).split("\n"), 1):
            self.tokens += [(token, number) for token in TOKEN.findall(line)]
        self.place = 0
        self.classes = []
        self.functions = []
        self.read_scope(None)

    def read_scope(self, owner):
        """Read declarations up to the brace that closes those of a class, of a namespace or the file."""
        head = []
        while self.place < len(self.tokens):
            token, _ = self.tokens[self.place]
            if token == "}":
                return
            if token == ";":
                note_member(owner, [word for word, _ in head])
                head = []
            elif token == ":" and [word for word, _ in head] in [[access] for access in ACCESS]:
                head = []
            elif token == "{":
                head = self.read_braces(owner, head)
            else:
                head.append(self.tokens[self.place])
            self.place += 1

    def read_braces(self, owner, head):
        """Read what stands in braces; returns what is still to be completed by a semicolon."""
        words = strip_template([word for word, _ in head])
        kind = next((word for word in words if word in ("class", "struct", "union")), None)
        self.place += 1
        if words and words[0] in ("namespace", "extern") and "(" not in words:
            self.read_scope(None)
            return []
        if kind and "(" not in words and "enum" not in words and "=" not in words:
            name = words[words.index(kind) + 1] if words[-1] != kind else "(without a name)"
            self.classes.append(Class(name, head[0][1]))
            self.read_scope(self.classes[-1])
            return [("using", 0)]  # what follows is no member, or has no name of its own
        line = self.tokens[self.place - 1][1]
        self.skip_braces()
        if not opens_body(words):
            return head + [("}", line)]
        last = self.tokens[min(self.place, len(self.tokens) - 1)][1]
        self.functions.append(Function(name_of(words), head[0][1], line, last))
        if owner:
            owner.functions += 1
        return []

    def skip_braces(self):
        """Go to the brace that closes the one before this place."""
        depth = 1
        while self.place < len(self.tokens):
            depth += {"{": 1, "}": -1}.get(self.tokens[self.place][0], 0)
            if depth == 0:
                return
            self.place += 1


def strip_template(words):
    """The words of a declaration without template<...> before them."""
    while words[:2] == ["template", "<"]:
        depth, end = 0, 0
        for end, word in enumerate(words):
            depth += {"<": 1, ">": -1}.get(word, 0)
            if word == ">" and depth == 0:
                break
        words = words[end + 1 :]
    return words


def outside_parentheses(words):
    """The words that stand in no parentheses, and the opening ones themselves."""
    depth, found = 0, []
    for word in words:
        if depth == 0:
            found.append(word)
        depth += {"(": 1, ")": -1}.get(word, 0)
    return found


def opens_body(words):
    """Whether a brace after these words opens a function, and not a list of values or a lambda."""
    if words.count("(") > words.count(")"):
        return False
    outside = outside_parentheses(words)
    if "(" not in outside or "enum" in outside or "=" in outside_operators(outside):
        return False
    in_initializers = ":" in outside[outside.index("(") :]
    return not in_initializers or words[-1] in (")", "}")


def outside_operators(words):
    """The words but for the sign of an operator that is declared."""
    place = words.index("operator") if "operator" in words else len(words)
    return words[:place]


def name_of(words):
    """The name of a function, with that of its class."""
    end = words.index("(")
    if "operator" in words[:end]:
        return " ".join(words[words.index("operator") : end])
    start = end - 1
    while start >= 1 and (words[start - 1] in ("::", "~") or words[start] in ("::", "~")):
        start -= 1
    return "".join(words[start:end])


def note_member(owner, words):
    """Count what a declaration in a class declares."""
    words = strip_template(words)
    if owner is None or not words or words[0] in NOT_MEMBERS:
        return
    if words[0] == "friend":
        owner.friends += 1
    elif words[0] in ("class", "struct", "union", "enum"):
        return
    elif "(" in outside_templates(words):
        owner.functions += 1
    else:
        owner.variables += 1 + outside_templates(words).count(",")


def outside_templates(words):
    """The words that stand in no angle brackets, braces or value."""
    depth, found = 0, []
    for word in words[: words.index("=")] if "=" in outside_operators(words) else words:
        depth += {"<": 1, "{": 1}.get(word, 0)
        if depth == 0:
            found.append(word)
        depth -= {">": 1, "}": 1}.get(word, 0) if depth else 0
    return found


def count_comments(lines, function):
    """The lines in a function's body that are comments alone, and those that are not empty."""
    body = [line.strip() for line in lines[function.body : function.last - 1]]
    comments = sum(line.startswith(("//", "/*", "*")) for line in body)
    return comments, sum(bool(line) for line in body)
