#!/usr/bin/env python3
"""Writes the manual pages: one a program, of its --help, and mpiactor(7), of mpiactor-info."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True

from help_page import body, escape  # noqa: E402  (beside this script)

PROGRAMS = {
    "mpiactor-run": "run an MPI program with mpiactor's collectives",
    "mpiactor-info": "show what mpiactor finds here: machine, settings, algorithms",
    "mpiactor-tune": "measure which way of each collective is best on a system",
    "mpiactor-report": "show what traces of mpiactor hold",
    "virtual-cluster": "hosts made of Linux namespaces on one machine",
}
# No settings of whoever installs; argparse folds at COLUMNS.
ENVIRONMENT = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8", "COLUMNS": "100"}


def output_of(*command):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"man_pages.py: '{' '.join(map(str, command))}' failed with status {done.returncode}:\n"
                 f"{done.stderr.strip()}")
    return done.stdout


def title(name, section, version):
    """The page's first lines; names of options are not to be hyphenated, and lines not stretched."""
    # groff 1.23 asks the string AD at each paragraph; .ad l is for older ones.
    return [".ds AD l", f'.TH {name.upper()} {section} "" "mpiactor {version}"', ".nh", ".ad l"]


def see_also(names):
    return [".SH SEE ALSO", *(f".BR {escape(name)} ({section}) ," for name, section in names[:-1]),
            ".BR {} ({})".format(escape(names[-1][0]), names[-1][1])]


def program_page(name, folder, version):
    synopsis, description = body(output_of(folder / name, "--help"))
    others = [(other, 1) for other in PROGRAMS if other != name] + [("mpiactor", 7)]
    return [*title(name, 1, version), ".SH NAME", f"{escape(name)} \\- {escape(PROGRAMS[name])}",
            *([".SH SYNOPSIS", *synopsis] if synopsis else []),
            ".SH DESCRIPTION", *description, *see_also(others)]


def setting_entry(setting):
    default = escape(setting["default"]) if setting["default"] else "empty"
    # Lists of names may be folded after any of them.
    allowed = escape(setting["allowed"]).replace("|", "|\\:")
    return [".TP", f".B {setting['name']}", escape(setting["help"]), ".br",
            f"Default: {default}. Allowed: {allowed}"]


def algorithm_entries(algorithms):
    lines, collective = [], None
    for algorithm in algorithms:
        if algorithm["collective"] != collective:
            collective = algorithm["collective"]
            lines.append(f".SS {escape(collective)}")
        lines += [".TP", f".B {escape(algorithm['name'])}", escape(algorithm["description"])]
    return lines


def overview_page(template, info, version):
    """mpiactor(7): the template's lines, with the lists of settings and algorithms put in."""
    parts = {
        "@TITLE@": title("mpiactor", 7, version),
        "@SETTINGS@": [line for setting in info["settings"] for line in setting_entry(setting)],
        "@ALGORITHMS@": algorithm_entries(info["algorithms"]),
        "@SEE_ALSO@": see_also([(name, 1) for name in PROGRAMS]),
    }
    return [line for row in template.splitlines() for line in parts.get(row, [row])]


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    path.chmod(0o644)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the installed programs")
    parser.add_argument("--version", required=True, help="of mpiactor")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder that gets man1 and man7")
    options = parser.parse_args()
    template = pathlib.Path(__file__).with_name("mpiactor.7.in").read_text(encoding="utf-8")
    info = json.loads(output_of(options.programs / "mpiactor-info", "--json"))
    try:
        for name in PROGRAMS:
            write(options.output / "man1" / f"{name}.1", program_page(name, options.programs, options.version))
        write(options.output / "man7" / "mpiactor.7", overview_page(template, info, options.version))
    except OSError as error:
        sys.exit(f"man_pages.py: {error}")


if __name__ == "__main__":
    main()
