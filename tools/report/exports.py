"""CSV and Chrome's trace-event format (read by Perfetto)."""

import csv
import json

import call_sites

COLUMNS = ("trace rank node host communicator sequence operation bytes root path algorithm arrival_us led_us "
           "first_byte_us last_byte_us exit_us wait_us late_us transfer_us call_site").split()


def parts_by_record(calls):
    return {id(part.record): part for call in calls for part in call.parts}


def us_text(ns):
    return f"{ns / 1e3:.3f}"


def write_csv(file, report, traces, calls):
    """One line a record; its parts are empty where not all ranks have recorded the call."""
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for figures, trace, its_calls in zip(report["traces"], traces, calls):
        parts = parts_by_record(its_calls)
        names = call_sites.labels(trace)
        for section in trace.sections:
            for record in section.records:
                part = parts.get(id(record))
                writer.writerow(
                    [figures["label"], record.rank, section.node, section.host, f"{record.communicator:x}",
                     record.sequence, record.operation, record.bytes, record.root if record.root >= 0 else "",
                     "hybrid" if record.hybrid else "passed", record.algorithm, us_text(record.arrival)]
                    + [us_text(moment) if moment else "" for moment in (record.led, record.first_byte, record.last_byte)]
                    + [us_text(record.exit)]
                    + ([us_text(part.wait), us_text(part.late), us_text(part.transfer)] if part else ["", "", ""])
                    + [names.get(record.call_site, "")])


def events_of(index, figures, trace, calls):
    """A process for each node, a thread for each rank, a slice for each call."""
    parts = parts_by_record(calls)
    names = call_sites.labels(trace)
    for node in sorted({section.node for section in trace.sections}):
        yield {"ph": "M", "name": "process_name", "pid": index * 100000 + node, "tid": 0,
               "args": {"name": f"{figures['label']}: node {node}"}}
    for section in trace.sections:
        where = {"pid": index * 100000 + section.node, "tid": section.rank}
        yield {"ph": "M", "name": "thread_name", **where, "args": {"name": f"rank {section.rank}"}}
        for record in section.records:
            part = parts.get(id(record))
            arguments = {"bytes": record.bytes, "sequence": record.sequence,
                         "communicator": f"{record.communicator:x}", "algorithm": record.algorithm}
            if record.root >= 0:
                arguments["root"] = record.root
            if record.call_site:
                arguments["call_site"] = names[record.call_site]
            if part:
                arguments |= {"wait_us": part.wait / 1e3, "late_us": part.late / 1e3, "transfer_us": part.transfer / 1e3}
            yield {"ph": "X", "name": record.operation, "cat": "hybrid" if record.hybrid else "passed", **where,
                   "ts": record.arrival / 1e3, "dur": (record.exit - record.arrival) / 1e3, "args": arguments}
            for name, moment in (("leads", record.led), ("first byte", record.first_byte),
                                 ("last byte", record.last_byte)):
                if moment:
                    yield {"ph": "i", "s": "t", "name": name, "cat": "moment", **where, "ts": moment / 1e3}


def write_perfetto(file, report, traces, calls):
    events = [event for index, (figures, trace, its_calls) in enumerate(zip(report["traces"], traces, calls))
              for event in events_of(index, figures, trace, its_calls)]
    json.dump({"displayTimeUnit": "ns", "traceEvents": events}, file)
