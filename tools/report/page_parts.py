"""What sections of the page are made of: numbers that name their figure, tables, plots."""

import html


def format_bytes(count):
    """1000, 93.75K, 250K, 1.5M: in units of 1024 bytes and their powers, with two decimals at most."""
    for shift, suffix in ((30, "G"), (20, "M"), (10, "K")):
        if count >= 1 << shift:
            return f"{count / (1 << shift):.2f}".rstrip("0").rstrip(".") + suffix
    return str(count)


def format_number(value):
    """Four figures where there are decimals, all of a count."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    magnitude = abs(value)
    if magnitude >= 1000:
        return f"{value:,.0f}"
    decimals = 1 if magnitude >= 100 else 2 if magnitude >= 10 else 3
    return f"{value:.{decimals}f}" if magnitude >= 0.001 or value == 0 else f"{value:.2g}"


def look_up(report, path):
    value = report
    for step in path.split("."):
        value = value[int(step) if isinstance(value, list) else step]
    return value


class Page:
    def __init__(self, report):
        self.report = report
        self.pieces = []

    def add(self, text):
        self.pieces.append(text)

    def number(self, path, scale=1, suffix=""):
        value = look_up(self.report, path)
        shown = format_number(value * scale if scale != 1 and value is not None else value)
        return f'<td data-figure="{path}">{shown}{suffix}</td>'

    def table(self, label, heads, rows):
        """`rows`: lists of complete <td> or <th> elements."""
        self.add(f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(label)}"><table>')
        # A head stands where its column's cells do: text to the left, numbers to the right.
        is_text = ["text" in cell.split(">")[0] or cell.startswith("<th") for cell in rows[0]] if rows else []
        kinds = [' class="text"' if text else "" for text in is_text] or [""] * len(heads)
        self.add("<thead><tr>" + "".join(f'<th scope="col"{kind}>{head}</th>' for kind, head in zip(kinds, heads))
                 + "</tr></thead><tbody>")
        for row in rows:
            self.add("<tr>" + "".join(row) + "</tr>")
        self.add("</tbody></table></div>")

    def plot(self, name, label, controls=""):
        self.add(f'<div class="controls">{controls}</div>' if controls else "")
        self.add(f'<div class="plot" id="{name}" role="img" aria-label="{html.escape(label)}"></div>')


def row_head(text):
    return f'<th scope="row">{html.escape(str(text))}</th>'


def size_cell(least, most=None):
    """Bytes, or a range of them; the exact numbers show when pointed at."""
    shown, exact = format_bytes(least), f"{least:,}"
    if most is not None and most != least:
        shown, exact = f"{shown} to {format_bytes(most)}", f"{exact} to {most:,}"
    return f'<td title="{exact} bytes">{shown}</td>'


def label_cell(text):
    """Beside numbers, and as they are: of ranks, or of all sizes."""
    return f"<td>{html.escape(str(text))}</td>"


def text_cell(text):
    return f'<td class="text">{html.escape(str(text))}</td>'
