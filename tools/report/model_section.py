"""The page's section on what leaders would have cost."""

import html

from model import COLUMNS
from page_parts import label_cell, row_head, size_cell, text_cell

HEADS = ["operation", "bytes", "ranks", "calls", "plan", "recorded,<br>us", "modelled<br>static, us",
         "modelled<br>competitive, us", "recorded,<br>s", "modelled<br>static, s", "modelled<br>competitive, s"]


def has_model(report):
    return "model" in report["traces"][0]


def add_machine(page, machine):
    page.add(f"<p>Machine <code>{html.escape(machine['name'])}</code>: {html.escape(machine['description'])}.</p>")
    parameters = [name for name in machine if name not in ("name", "description")]
    page.add("<details><summary>The model's parameters</summary>")
    page.table("The model's parameters", ["parameter", "value"],
               [[row_head(name.replace("_", " ")), page.number(f"traces.0.model.machine.{name}")] for name in parameters]
               + [[row_head("candidates a node, at most"), page.number("traces.0.model.candidates")]])
    page.add("</details>")


def figures_row(page, at, heads):
    """`heads`: what comes before and after the number of calls."""
    before, after = heads
    return before + [page.number(f"{at}.calls")] + after + [
        page.number(f"{at}.{name}_{unit}") for unit in ("us", "s") for name in COLUMNS]


def figures_rows(page, at, model):
    """Sizes of an operation one below the other, then all of them together."""
    rows = []
    for k, operation in enumerate(model["operations"]):
        sizes = [(j, group) for j, group in enumerate(model["groups"]) if group["operation"] == operation["operation"]]
        name = row_head(operation["operation"])
        for j, group in sizes:
            heads = [name, size_cell(group["bytes"]), label_cell(group["ranks"])]
            rows.append(figures_row(page, f"{at}.groups.{j}", (heads, [text_cell(", ".join(group["algorithms"]))])))
        if len(sizes) > 1:
            rows.append(figures_row(page, f"{at}.operations.{k}",
                                    ([name, label_cell("all"), label_cell("")], [text_cell("")])))
    rows.append([row_head("all"), label_cell(""), label_cell(""), page.number(f"{at}.calls")] + [text_cell("")] * 4
                + [page.number(f"{at}.{name}_s") for name in COLUMNS])
    return rows


def add_left_out(page, at, model):
    """A line for each reason."""
    left_out = model["left_out"]
    if not left_out:
        return
    page.add("<p>Left out:</p><ul>")
    for reason in sorted({row["reason"] for row in left_out}):
        counts = [f'<span data-figure="{at}.left_out.{j}.calls">{row["calls"]:,}</span> {html.escape(row["operation"])}'
                  for j, row in enumerate(left_out) if row["reason"] == reason]
        page.add(f"<li>{', '.join(counts)}: {html.escape(model['reasons'][reason])}</li>")
    page.add("</ul>")


def add_model(page):
    if not has_model(page.report):
        return
    page.add('<section id="model"><h2>What leaders would have cost (modelled)</h2><p><b>Recorded</b> is the excess of this '
             "run's calls. <b>Modelled</b> is what the simulator says of calls with the same arrivals, each by itself, on a "
             "modelled machine whose processors are free for them: what the choice of leaders changes, not how long this run "
             "would have taken. <b>Static</b>: the lowest rank of a node talks for it. <b>Competitive</b>: the first to "
             "arrive takes what the root gives, the last to arrive sends what its node gives.</p>")
    add_machine(page, page.report["traces"][0]["model"]["machine"])
    page.plot("plot-model", "Mean recorded and modelled excess by operation")
    for i, trace in enumerate(page.report["traces"]):
        at = f"traces.{i}.model"
        page.add(f"<h3>{html.escape(trace['label'])}</h3><p>Mean excess of a rank in a call, and its sum over ranks and "
                 "calls.</p>")
        page.table(f"Recorded and modelled excess, {trace['label']}", HEADS, figures_rows(page, at, trace["model"]))
        add_left_out(page, at, trace["model"])
    page.add("</section>")
