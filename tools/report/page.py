"""The page: tables made here, plots by plots.js and page.js with Apache ECharts, everything in one file.

Each number in a table carries the path of the figure that it shows (data-figure), so that page and --json can be
compared.
"""

import html
import json
import pathlib
import re

from model_section import add_model
from page_parts import Page, format_number, label_cell, look_up, row_head, size_cell, text_cell  # noqa: F401  (tests look up)

FOLDER = pathlib.Path(__file__).resolve().parent
# What the links at the top call the sections; of those that a report has, in their order.
SECTIONS = {"summary": "Summary", "comparison": "Side by side", "one-trace": "One trace", "call-sites": "Call sites",
            "model": "Model", "leaders": "Leaders", "operations": "Operations", "runs": "Runs"}


def add_summary(page):
    traces = page.report["traces"]
    page.add('<section id="summary"><h2>Where time in collectives went</h2>')
    page.add("<p>Summed over all ranks. <b>Wait</b>: forced on a rank by the arrival of those whose data it needs. "
             "<b>Late others</b>: spent while ranks that it does not need had not come. <b>Transfer</b>: the rest.</p>")
    page.plot("plot-summary", "Rank-seconds of wait, late others and transfer, one bar a trace")
    rows = []
    for i, trace in enumerate(traces):
        at = f"traces.{i}.summary"
        row = [row_head(trace["label"]), page.number(f"traces.{i}.calls"), page.number(f"traces.{i}.hybrid_calls"),
               page.number(f"{at}.in_call_s")]
        for part in ("wait", "late", "transfer"):
            row += [page.number(f"{at}.{part}_s"), page.number(f"{at}.{part}_share", 100, "&nbsp;%")]
        rows.append(row)
    page.table("Where time went, by trace",
               ["trace", "calls", "of them hybrid", "in calls, s", "wait, s", "", "late others, s", "", "transfer, s", ""],
               rows)
    page.add("</section>")


def add_comparison(page):
    rows_of = page.report["comparison"]
    if not rows_of:
        return
    labels = [trace["label"] for trace in page.report["traces"]]
    page.add(f'<section id="comparison"><h2>Side by side</h2><p>Mean excess of a rank in a call, and its ratio to '
             f"{html.escape(labels[0])}. Excess is the time in a call beyond the forced wait.</p>")
    page.plot("plot-comparison", "Mean excess by operation and size, one bar a trace")
    rows = []
    for i, row in enumerate(rows_of):
        cells = [row_head(row["operation"]), size_cell(row["bytes"]), label_cell(row["ranks"])]
        for j in range(len(labels)):
            at = f"comparison.{i}.traces.{j}"
            cells.append(page.number(f"{at}.excess_mean_us"))
            if j > 0:
                cells.append(page.number(f"{at}.excess_ratio"))
        rows.append(cells)
    heads = ["operation", "bytes", "ranks"]
    for j, label in enumerate(labels):
        heads += [f"{html.escape(label)}, us"] + (["ratio"] if j > 0 else [])
    page.table("Mean excess side by side", heads, rows)
    page.add("</section>")


def add_operations(page):
    page.add('<section id="operations"><h2>By operation and size</h2>')
    heads = ["operation", "bytes", "ranks", "calls", "hybrid", "algorithms", "in call, s", "wait", "late", "transfer",
             "excess mean, us", "p95, us", "arrival spread p50, us", "p95, us", "max, us"]
    for i, trace in enumerate(page.report["traces"]):
        rows = []
        for j, group in enumerate(trace["groups"]):
            at = f"traces.{i}.groups.{j}"
            rows.append(
                [row_head(group["operation"]), size_cell(group["bytes"]), label_cell(group["ranks"]),
                 page.number(f"{at}.calls"), page.number(f"{at}.hybrid_calls"), text_cell(", ".join(group["algorithms"])),
                 page.number(f"{at}.in_call_s")]
                + [page.number(f"{at}.{part}_share", 100, "&nbsp;%") for part in ("wait", "late", "transfer")]
                + [page.number(f"{at}.excess_us.mean"), page.number(f"{at}.excess_us.p95")]
                + [page.number(f"{at}.spread_us.{statistic}") for statistic in ("p50", "p95", "max")])
        page.add(f"<h3>{html.escape(trace['label'])}</h3>")
        page.table(f"By operation and size, {trace['label']}", heads, rows)
    page.add("</section>")


def add_single_trace_plots(page):
    options = "".join(f'<option value="{i}">{html.escape(trace["label"])}</option>'
                      for i, trace in enumerate(page.report["traces"]))
    page.add('<section id="one-trace"><h2>One trace</h2><div class="controls">'
             f'<label>Trace <select id="trace">{options}</select></label></div>')
    page.add("<h3>Arrival spread over time</h3><p>From the first to the last arrival of a call.</p>")
    page.plot("plot-spread", "Arrival spread of calls over the time of the run",
              '<label>Colours by <select id="spread-by"><option value="operation">operation and size</option>'
              '<option value="site">call site</option></select></label>'
              '<label>Show <select id="spread-of"></select></label>')
    page.add("<h3>Lateness of ranks</h3><p>How long after a call's first arrival each rank came; "
             "successive calls from left to right.</p>")
    page.plot("plot-heat", "Heat map of lateness, rank by call")
    page.add("<h3>One call</h3>")
    page.plot("plot-timeline", "Arrival, leading, first and last byte and exit of every rank in the chosen call",
              '<button id="previous" type="button">Previous</button><label>Call <select id="call"></select></label>'
              '<button id="next" type="button">Next</button><button id="widest" type="button">Widest spread</button>')
    page.add('<div class="scroll" tabindex="0" role="region" aria-label="The chosen call"><table id="call-table">'
             "</table></div></section>")


def add_call_sites(page):
    page.add('<section id="call-sites"><h2>Where in the program</h2><p>Places that call collectives, those with the most '
             "excess first: time beyond the forced wait, summed over ranks. Arrival spread: from the first to the last "
             "arrival of a call.</p>")
    heads = ["call site", "operation", "bytes", "calls", "in call, s", "excess, s", "excess mean, us", "p95, us",
             "arrival spread p50, us", "p95, us", "max, us"]
    for i, trace in enumerate(page.report["traces"]):
        rows = []
        for j, row in enumerate(trace["call_sites"]):
            at = f"traces.{i}.call_sites.{j}"
            rows.append([f'<th scope="row" class="site">{html.escape(row["site"])}</th>', text_cell(row["operation"]),
                         size_cell(row["bytes_min"], row["bytes_max"]), page.number(f"{at}.calls"),
                         page.number(f"{at}.in_call_s"), page.number(f"{at}.excess_s")]
                        + [page.number(f"{at}.excess_us.{statistic}") for statistic in ("mean", "p95")]
                        + [page.number(f"{at}.spread_us.{statistic}") for statistic in ("p50", "p95", "max")])
        page.add(f"<h3>{html.escape(trace['label'])}</h3>")
        page.table(f"Call sites, {trace['label']}", heads, rows)
    page.add("</section>")


def add_leaders(page):
    page.add('<section id="leaders"><h2>Who leads</h2><p>Calls that the runtime handled and in which a rank talked to '
             "other nodes for its own. In broadcasts and scatters one rank a node leads; in other collectives several "
             "members may share the work.</p>")
    page.plot("plot-leaders", "How often each rank of a node led")
    for i, trace in enumerate(page.report["traces"]):
        if not trace["hybrid_calls"]:
            page.add(f"<p>{html.escape(trace['label'])}: no call was handled by the runtime.</p>")
            continue
        rows = []
        for j, node in enumerate(trace["leaders"]):
            for k, rank in enumerate(node["ranks"]):
                at = f"traces.{i}.leaders.{j}"
                rows.append([row_head(f"rank {rank['rank']}"), text_cell(f"node {node['node']}"),
                             page.number(f"{at}.ranks.{k}.led"), page.number(f"{at}.requests")])
        page.add(f"<details><summary>{html.escape(trace['label'])}: figures</summary>")
        page.table(f"Who leads, {trace['label']}", ["rank", "node", "led", "of calls"], rows)
        page.add("</details>")
    page.add("</section>")


def add_runs(page):
    page.add('<section id="runs"><h2>The runs</h2>')
    rows = []
    for i, trace in enumerate(page.report["traces"]):
        clock = "one clock" if trace["clock"]["same"] else (
            f"aligned, ± {format_number(trace['clock']['worst_uncertainty_us'])} us, "
            f"drift up to {format_number(trace['clock']['worst_drift_ppm'])} ppm")
        rows.append([row_head(trace["label"]), text_cell(trace["file"]), text_cell(trace["program"]),
                     page.number(f"traces.{i}.ranks"), page.number(f"traces.{i}.nodes"),
                     page.number(f"traces.{i}.length_s"), page.number(f"traces.{i}.records"),
                     page.number(f"traces.{i}.incomplete_calls"), text_cell(clock)])
    page.table("The runs", ["trace", "file", "program", "ranks", "nodes", "length, s", "records",
                            "calls left out", "clocks"], rows)
    for trace in page.report["traces"]:
        for note in trace["notes"]:
            page.add(f'<p class="note">{html.escape(trace["label"])}: {html.escape(note)}.</p>')
    page.add("</section>")


def embed_json(report):
    """Where no text can end the element that it stands in."""
    return json.dumps(report, separators=(",", ":")).replace("<", "\\u003c")


def links_to(body):
    return " ".join(f'<a href="#{name}">{SECTIONS[name]}</a>' for name in re.findall(r'<section id="([^"]+)">', body))


def render(report):
    page = Page(report)
    for add in (add_summary, add_comparison, add_single_trace_plots, add_call_sites, add_model, add_leaders,
                add_operations, add_runs):
        add(page)
    body = "\n".join(page.pieces)
    parts = {
        "STYLE": (FOLDER / "page.css").read_text(encoding="utf-8"),
        "LINKS": links_to(body),
        "BODY": body,
        "FIGURES": embed_json(report),
        "LIBRARY": (FOLDER / "echarts" / "echarts.min.js").read_text(encoding="utf-8").replace("</script", "<\\/script"),
        "SCRIPT": "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in ("plots.js", "page.js")),
    }
    # Split once, so that a part may hold another one's mark.
    pieces = (FOLDER / "page.html").read_text(encoding="utf-8").split("@@")
    return "".join(parts[piece] if position % 2 else piece for position, piece in enumerate(pieces))
