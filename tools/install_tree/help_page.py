"""Makes a manual page's text (roff) of what a program prints for --help.

What the helps have in common: lines that begin at the margin are prose or headings, indented ones are
either "  OPTION   what it does", continued further right, or commands to be typed.
"""

import re

# The helps are folded at about this column; a line that ends so much earlier was meant to end there.
FOLDED_AT = 98
EARLY = 5

ENTRY = re.compile(r"^ {1,6}(?P<head>\S+(?: \S+)*)(?: {2,}(?P<text>\S.*))?$")


def escape(text):
    """Text as roff shows it: no line of it can be taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    # Long lists of choices may be broken behind a comma.
    text = re.sub(r"(?<=\S),(?=\S)", r",\\:", text)
    return "\\&" + text if text.startswith((".", "'")) else text


def keep_breaks(lines):
    """Lines of prose, with a break after those that end early, before a word that would have fitted in."""
    result = []
    for line, following in zip(lines, lines[1:] + [None]):
        result.append(escape(line.strip()))
        if following and len(line.rstrip()) + 1 + len(following.split()[0]) <= FOLDED_AT - EARLY:
            result.append(".br")
    return result


def take(lines, belongs):
    """Takes the first lines for which belongs(line) holds off the list."""
    taken = []
    while lines and lines[0].strip() and belongs(lines[0]):
        taken.append(lines.pop(0))
    return taken


def indent_of(line):
    return len(line) - len(line.lstrip())


def is_usage(line):
    return line.lower().startswith("usage:")


def take_usage(lines):
    """The "usage:" paragraph of argparse and CLI11."""
    paragraph = take(lines, lambda line: True)
    words = " ".join(" ".join(paragraph).split())
    name, _, arguments = words.partition(":")[2].strip().partition(" ")
    return [f".B {escape(name)}", escape(arguments)]


def take_entry(lines):
    """An option or command with its description; the description may begin on the next line."""
    first = lines.pop(0)
    match = ENTRY.match(first)
    rest = take(lines, lambda line: indent_of(line) > indent_of(first))
    text = [first.replace(match["head"], " " * len(match["head"]), 1)] if match["text"] else []
    return [".TP", f".B {escape(match['head'])}", *keep_breaks(text + rest)]


def take_commands(lines):
    """Indented lines without descriptions, as they are."""
    commands = take(lines, lambda line: indent_of(line) > 0)
    return [".PP", ".nf", ".RS", *(escape(line.strip()) for line in commands), ".RE", ".fi"]


def are_commands(lines):
    block = take(list(lines), lambda line: indent_of(line) > 0)
    if len(block) == 1 and len(block[0].split()) == 1:
        return False  # an option that needs no words
    return all(indent_of(line) == indent_of(block[0]) and "  " not in line.strip() for line in block)


def body(help_text):
    """Returns (lines of the synopsis, lines of the description)."""
    lines = [line.rstrip() for line in help_text.expandtabs().splitlines()]
    synopsis, description = [], []
    while lines:
        line = lines[0]
        if not line.strip():
            lines.pop(0)
        elif is_usage(line):
            synopsis = take_usage(lines)
        elif indent_of(line) == 0 and line.endswith(":") and indent_of("".join(lines[1:2])) > 0:
            description += [f".SS {escape(lines.pop(0)[:-1].capitalize())}"]
        elif indent_of(line) == 0:
            prose = take(lines, lambda other: indent_of(other) == 0 and not is_usage(other))
            description += [".PP", *keep_breaks(prose)]
        elif are_commands(lines):
            description += take_commands(lines)
        else:
            description += take_entry(lines)
    return synopsis, description
