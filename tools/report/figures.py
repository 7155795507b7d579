"""All figures of a report, as one JSON object: the page, --json and the tests look at the same one."""

import os
import pathlib

import calls as calls_of
import call_sites

# Above these, points are thinned out evenly: a page stays quick.
MOST_SPREAD_POINTS = 1500
MOST_HEAT_COLUMNS = 120
MOST_TIMELINES = 300
MOST_TIMELINE_ROWS = 24000


def us(ns):
    return round(ns / 1e3, 3)


def seconds(ns):
    return round(ns / 1e9, 9)


def statistics_us(values):
    ordered = sorted(values)
    return {
        "mean": us(sum(ordered) / len(ordered)),
        "p50": us(calls_of.quantile(ordered, 0.5)),
        "p95": us(calls_of.quantile(ordered, 0.95)),
        "max": us(ordered[-1]),
    }


def where_time_went(parts):
    """Sums over ranks, in seconds; shares of the time in calls."""
    sums = {name: sum(getattr(part, name) for part in parts) for name in ("wait", "late", "transfer")}
    total = sum(sums.values())
    result = {"in_call_s": seconds(total)}
    for name, value in sums.items():
        result[f"{name}_s"] = seconds(value)
        result[f"{name}_share"] = round(value / total, 6) if total else 0.0
    return result


def group_figures(key, members):
    operation, bytes_, ranks = key
    parts = [part for call in members for part in call.parts]
    algorithms = sorted({call.algorithm for call in members if call.algorithm})
    return {
        "operation": operation, "bytes": bytes_, "ranks": ranks, "calls": len(members),
        "hybrid_calls": sum(call.hybrid for call in members), "algorithms": algorithms,
        "in_call_us": statistics_us([part.record.exit - part.record.arrival for part in parts]),
        "wait_us": statistics_us([part.wait for part in parts]),
        "excess_us": statistics_us([part.excess for part in parts]),
        "late_us": statistics_us([part.late for part in parts]),
        "transfer_us": statistics_us([part.transfer for part in parts]),
        "spread_us": statistics_us([call.spread for call in members]),
        **where_time_went(parts),
    }


def groups(calls):
    members = {}
    for call in calls:
        members.setdefault(call.key, []).append(call)
    return [group_figures(key, members[key]) for key in sorted(members)]


def call_site_figures(calls, names):
    """For each place in the program that calls a collective, the one with the most excess first."""
    members = {}
    for call in calls:
        members.setdefault((call_sites.site_of(call, names), call.operation), []).append(call)
    rows = []
    for (site, operation), of_site in members.items():
        parts = [part for call in of_site for part in call.parts]
        rows.append({
            "site": site, "operation": operation, "calls": len(of_site),
            "bytes_min": min(call.bytes for call in of_site), "bytes_max": max(call.bytes for call in of_site),
            "spread_us": statistics_us([call.spread for call in of_site]),
            "excess_us": statistics_us([part.excess for part in parts]),
            "excess_s": seconds(sum(part.excess for part in parts)), **where_time_went(parts),
        })
    return sorted(rows, key=lambda row: (-row["excess_s"], row["site"], row["operation"]))


def leaders(trace, calls):
    """For each node: how many hybrid calls it took part in, and how often each of its ranks led."""
    node_of = {section.rank: section.node for section in trace.sections}
    led = {section.rank: 0 for section in trace.sections}
    requests = {node: 0 for node in node_of.values()}
    for call in calls:
        if not call.hybrid:
            continue
        for node in {node_of[part.record.rank] for part in call.parts}:
            requests[node] += 1
        for part in call.parts:
            led[part.record.rank] += part.record.led != 0
    return [
        {"node": node, "requests": requests[node],
         "ranks": [{"rank": rank, "led": led[rank]} for rank in sorted(led) if node_of[rank] == node]}
        for node in sorted(requests)
    ]


def thin_out(items, most):
    """At most so many, evenly, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]


def spread_over_time(calls, names):
    return [{"at_s": seconds(call.first), "spread_us": us(call.spread), "operation": call.operation,
             "bytes": call.bytes, "site": call_sites.site_of(call, names)} for call in thin_out(calls, MOST_SPREAD_POINTS)]


def heat(trace, calls):
    """Mean lateness (arrival after the call's first) of each rank over successive calls; null where it is in none."""
    ranks = [section.rank for section in trace.sections]
    columns = min(len(calls), MOST_HEAT_COLUMNS)
    starts = [len(calls) * column // columns for column in range(columns)] if columns else []
    lateness = {rank: [] for rank in ranks}
    for column, start in enumerate(starts):
        end = len(calls) * (column + 1) // columns
        of_rank = {rank: [] for rank in ranks}
        for call in calls[start:end]:
            for part in call.parts:
                of_rank[part.record.rank].append(part.record.arrival - call.first)
        for rank in ranks:
            values = of_rank[rank]
            lateness[rank].append(us(sum(values) / len(values)) if values else None)
    return {"ranks": ranks, "first_call": starts, "lateness_us": [lateness[rank] for rank in ranks]}


def timeline(number, call, names):
    moments = ("arrival", "led", "first_byte", "last_byte", "exit")
    rows = []
    for part in call.parts:
        record = part.record
        row = {"rank": record.rank, "wait_us": us(part.wait), "late_us": us(part.late), "transfer_us": us(part.transfer)}
        for name in moments:
            value = getattr(record, name)
            row[f"{name}_us"] = us(value - call.first) if name in ("arrival", "exit") or value else None
        rows.append(row)
    root = call.record.root
    return {
        "call": number, "at_s": seconds(call.first), "operation": call.operation, "bytes": call.bytes,
        "root": call.parts[root].record.rank if root >= 0 else None, "path": "hybrid" if call.hybrid else "passed",
        "algorithm": call.algorithm, "communicator": f"{call.record.communicator:x}",
        "sequence": call.record.sequence, "site": call_sites.site_of(call, names), "spread_us": us(call.spread), "ranks": rows,
    }


def timelines(calls, ranks, names):
    """All calls where they are few; else half of the room for those with the most excess, half for an even choice."""
    most = max(20, min(MOST_TIMELINES, MOST_TIMELINE_ROWS // ranks))
    numbers = range(len(calls))
    if len(calls) > most:
        by_excess = sorted(numbers, key=lambda n: -sum(part.excess for part in calls[n].parts))
        worst = set(by_excess[: most // 2])
        rest = [number for number in numbers if number not in worst]
        numbers = sorted(worst | set(thin_out(rest, most - len(worst))))
    return [timeline(number, calls[number], names) for number in numbers]


def clock(trace):
    others = [section for section in trace.sections if not section.clock_is_rank0]
    readings = [r.uncertainty_ns for section in others for r in (section.start, section.end)]
    return {
        "same": not others,
        "worst_uncertainty_us": us(max(readings, default=0)),
        "worst_drift_ppm": round(max((abs(calls_of.drift_ppm(section)) for section in others), default=0.0), 6),
    }


def figures_of(trace):
    """(figures, calls) of one trace; its records are aligned on the way."""
    length = calls_of.align(trace)
    calls, incomplete = calls_of.match(trace)
    first = trace.sections[0]
    names = call_sites.labels(trace)
    figures = {
        "file": os.fsencode(pathlib.Path(trace.path).name).decode(errors="replace"), "program": first.program, "runtime": first.version,
        "leader": first.leader, "ranks": first.ranks, "nodes": len({s.node for s in trace.sections}),
        "hosts": sorted({s.host for s in trace.sections}),
        "complete": all(s.closed for s in trace.sections) and len(trace.sections) == first.ranks,
        "notes": trace.notes, "clock": clock(trace), "length_s": seconds(length),
        "records": sum(len(s.records) for s in trace.sections), "calls": len(calls), "incomplete_calls": incomplete,
        "hybrid_calls": sum(call.hybrid for call in calls),
        "summary": where_time_went([part for call in calls for part in call.parts]),
        "groups": groups(calls), "leaders": leaders(trace, calls),
        "call_sites": call_site_figures(calls, names), "spread": spread_over_time(calls, names),
        "heat": heat(trace, calls), "timelines": timelines(calls, first.ranks, names),
    }
    return figures, calls


def name_traces(traces):
    """A label for each: how it led ("plain": the MPI library alone), with the file's name, and its place among the
    files, where that is not enough."""
    labels = ["plain" if t["leader"] == "off" else t["leader"] or "?" for t in traces]
    files = [f"{label} ({trace['file']})" for trace, label in zip(traces, labels)]
    for i, (trace, label, file) in enumerate(zip(traces, labels, files), 1):
        of_several = file if files.count(file) == 1 else f"{label} ({trace['file']}, {i})"
        trace["label"] = label if labels.count(label) == 1 else of_several


def ratio(value, base):
    return round(value / base, 4) if base else None


def comparison(traces):
    """Groups that all traces have, side by side; ratios to the first trace."""
    tables = [{(g["operation"], g["bytes"], g["ranks"]): g for g in trace["groups"]} for trace in traces]
    shared = [key for key in tables[0] if all(key in table for table in tables)]
    rows = []
    for key in shared:
        of_traces = []
        for trace, table in zip(traces, tables):
            group, base = table[key], tables[0][key]
            of_traces.append({
                "label": trace["label"], "calls": group["calls"],
                "excess_mean_us": group["excess_us"]["mean"], "in_call_mean_us": group["in_call_us"]["mean"],
                "spread_p50_us": group["spread_us"]["p50"],
                "excess_ratio": ratio(group["excess_us"]["mean"], base["excess_us"]["mean"]),
            })
        rows.append({"operation": key[0], "bytes": key[1], "ranks": key[2], "traces": of_traces})
    return rows


def report(traces):
    """(report, calls of each trace)."""
    figures, calls = [], []
    for trace in traces:
        of_trace, its_calls = figures_of(trace)
        figures.append(of_trace)
        calls.append(its_calls)
    name_traces(figures)
    return {"report_version": 1, "traces": figures, "comparison": comparison(figures) if len(figures) > 1 else []}, calls
