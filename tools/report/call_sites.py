"""Call sites as people name them: function, file and line where addr2line (binutils) knows them."""

import os
import pathlib
import subprocess

UNKNOWN = "unknown"


def is_unchanged(site):
    """Whether the module is still the file that ran."""
    try:
        facts = os.stat(site.module)
    except OSError:
        return False
    return (facts.st_size, facts.st_mtime_ns) == (site.module_bytes, site.module_time_ns)


def ask_addr2line(module, offsets):
    """{offset: (function, "file:line")}, each empty where it is not known; offsets are return addresses, so what is
    asked for lies one byte before them, in the call."""
    command = ["addr2line", "-f", "-C", "-e", module] + [hex(offset - 1) for offset in offsets]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != 2 * len(offsets):
        return {}
    answers = {}
    for offset, function, place in zip(offsets, lines[::2], lines[1::2]):
        file, _, line = place.split(" (discriminator")[0].rpartition(":")
        known = file not in ("", "??") and line.isdigit() and line != "0"
        answers[offset] = ("" if function == "??" else function, f"{pathlib.Path(file).name}:{line}" if known else "")
    return answers


def without_arguments(function):
    """A C++ function's name without the list of its arguments."""
    kept = function.replace("(anonymous namespace)", "{anonymous}")
    return kept.split("(", 1)[0].replace("{anonymous}", "(anonymous namespace)")


def label_of(site, function, place):
    where = f"{pathlib.Path(site.module).name}+{site.offset:#x}"
    name = without_arguments(function) or site.symbol
    if place:
        return f"{place} {name}".strip()
    return f"{where} {name}".strip()


def labels(trace):
    """{CallSite: text} of all call sites of a trace."""
    sites = {record.call_site for section in trace.sections for record in section.records} - {None}
    by_module = {}
    for site in sites:
        by_module.setdefault((site.module, site.module_bytes, site.module_time_ns), []).append(site)
    result = {}
    for (module, _, _), members in by_module.items():
        offsets = sorted({site.offset for site in members})
        answers = ask_addr2line(module, offsets) if is_unchanged(members[0]) else {}
        for site in members:
            result[site] = label_of(site, *answers.get(site.offset, ("", "")))
    return result


def site_of(call, names):
    """The text of a call's site; of several, where ranks call from different places, in the order of ranks."""
    seen = dict.fromkeys(names.get(part.record.call_site, UNKNOWN) for part in call.parts)
    return " | ".join(seen)
