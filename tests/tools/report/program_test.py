#!/usr/bin/env python3
"""The program: what it writes and what it says: TOOL"""

import csv
import html.parser
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import made_traces as made  # noqa: E402
from report_test_case import TOOL, ReportTestCase  # noqa: E402
import page  # noqa: E402
import page_parts  # noqa: E402


class Figures(html.parser.HTMLParser):
    """The cells that name their figure, and the embedded JSON."""

    def __init__(self, text):
        super().__init__()
        self.cells, self.json, self.name, self.in_json, self.sources = [], "", None, False, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.name = attributes.get("data-figure")
        self.in_json = attributes.get("id") == "figures"
        self.sources += [attributes[key] for key in ("src", "href") if attributes.get(key)]
        if self.name:
            self.cells.append([self.name, ""])

    def handle_endtag(self, tag):
        self.name, self.in_json = None, False

    def handle_data(self, data):
        if self.name:
            self.cells[-1][1] += data
        if self.in_json:
            self.json += data


class PartsTest(unittest.TestCase):
    def test_sizes_have_one_notation(self):
        sizes = {0: "0", 1000: "1000", 1023: "1023", 1024: "1K", 1536: "1.5K", 96000: "93.75K", 256000: "250K",
                 1000000: "976.56K", 1 << 20: "1M", 3 << 29: "1.5G", (1 << 30) + 1: "1G"}
        self.assertEqual({size: page_parts.format_bytes(size) for size in sizes}, sizes)
        self.assertEqual(page_parts.size_cell(96000), '<td title="96,000 bytes">93.75K</td>')
        self.assertEqual(page_parts.size_cell(8, 2048), '<td title="8 to 2,048 bytes">8 to 2K</td>')
        self.assertEqual(page_parts.size_cell(8, 8), '<td title="8 bytes">8</td>')

    def test_heads_stand_where_their_cells_do(self):
        parts = page_parts.Page({"figure": 3})
        parts.table("t", ["name", "bytes", "program", "figure"],
                    [[page_parts.row_head("a"), page_parts.size_cell(8), page_parts.text_cell("b"), parts.number("figure")]])
        heads = re.findall(r"<th scope=\"col\"([^>]*)>(\w+)", "".join(parts.pieces))
        self.assertEqual(heads, [(' class="text"', "name"), ("", "bytes"), (' class="text"', "program"), ("", "figure")])


class ProgramTest(ReportTestCase):
    def setUp(self):
        super().setUp()
        for name, leader, exit_ in (("plain", "off", 1500.5), ("quick", "competitive", 250)):
            records = [[made.record(100 * rank, exit_ + 100 * rank, rank=rank, hybrid=leader != "off",
                                    led=100 if leader != "off" and rank == 0 else None)] for rank in (0, 1)]
            made.write(self.folder, name, *(made.section(rank, 2, records[rank], leader=leader) for rank in (0, 1)))

    def run_tool(self, *arguments):
        return subprocess.run([TOOL, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def test_page_shows_the_figures_of_json(self):
        done = self.run_tool("plain", "quick", "-o", "r.html", "--json", "r.json")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        report = json.loads((self.folder / "r.json").read_text())
        shown = Figures((self.folder / "r.html").read_text())
        self.assertEqual(json.loads(shown.json), report)
        self.assertGreater(len(shown.cells), 50)
        for name, text in shown.cells:
            value = page.look_up(report, name)
            is_share = name.endswith("_share")
            number = float(text.replace(",", "").replace("\N{NO-BREAK SPACE}%", ""))
            expected = value * 100 if is_share else value
            self.assertAlmostEqual(number, expected, delta=max(abs(expected) * 1e-3, 0.0006), msg=name)
        self.assertAlmostEqual(report["comparison"][0]["traces"][0]["excess_mean_us"], 1500.5)

    def test_every_section_has_its_link(self):
        for traces, number in ((["plain"], 6), (["plain", "quick"], 7)):
            self.run_tool(*traces, "-o", "r.html")
            text = (self.folder / "r.html").read_text()
            links = re.findall(r'<a href="#([^"]+)">', re.search(r"<nav .*?</nav>", text)[0])
            self.assertEqual(links, re.findall(r'<section id="([^"]+)">', text))
            self.assertEqual(len(links), number)

    def test_page_needs_no_network(self):
        self.run_tool("plain", "-o", "r.html")
        text = (self.folder / "r.html").read_text()
        self.assertTrue(all(source.startswith(("#", "data:")) for source in Figures(text).sources))
        for mark in ("@import", "@@", "<link rel=\"stylesheet\""):
            self.assertNotIn(mark, text.replace(page_library(), ""))

    def test_texts_cannot_break_out_of_the_page(self):
        made.write(self.folder, "x", made.section(0, 1, [made.record(0, 1, ranks=1, operation="</script><b>&")]))
        self.run_tool("x", "-o", "r.html", "--json", "r.json")
        shown = Figures((self.folder / "r.html").read_text())
        self.assertEqual(json.loads(shown.json)["traces"][0]["groups"][0]["operation"], "</script><b>&")
        self.assertNotIn("<b>&", (self.folder / "r.html").read_text())

    def test_csv(self):
        self.run_tool("quick", "--csv", "r.csv")
        with open(self.folder / "r.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2)
        self.assertEqual((rows[1]["rank"], rows[1]["path"], rows[1]["arrival_us"], rows[1]["led_us"], rows[1]["exit_us"]),
                         ("1", "hybrid", "100.000", "", "350.000"))
        self.assertEqual((rows[0]["wait_us"], rows[0]["late_us"], rows[0]["transfer_us"]), ("0.000", "0.000", "250.000"))

    def test_call_sites_are_exported(self):
        sites = [made.call_site(0x40, "/prog")]
        made.write(self.folder, "s", made.section(0, 1, [made.record(0, 1, ranks=1, site=1),
                                                         made.record(2, 3, ranks=1, sequence=1)], sites))
        self.run_tool("s", "--csv", "r.csv", "--perfetto", "r.json")
        with open(self.folder / "r.csv", newline="") as file:
            self.assertEqual([row["call_site"] for row in csv.DictReader(file)], ["prog+0x40", ""])
        slices = [e for e in json.loads((self.folder / "r.json").read_text())["traceEvents"] if e["ph"] == "X"]
        self.assertEqual([e["args"].get("call_site") for e in slices], ["prog+0x40", None])

    def test_perfetto(self):
        self.run_tool("plain", "quick", "--perfetto", "r.json")
        events = json.loads((self.folder / "r.json").read_text())["traceEvents"]
        slices = [event for event in events if event["ph"] == "X"]
        self.assertEqual([(e["name"], e["cat"], e["tid"], e["ts"], e["dur"]) for e in slices],
                         [("MPI_Bcast", "passed", 0, 0, 1500.5), ("MPI_Bcast", "passed", 1, 100, 1500.5),
                          ("MPI_Bcast", "hybrid", 0, 0, 250), ("MPI_Bcast", "hybrid", 1, 100, 250)])
        self.assertEqual(len({(e["pid"], e["tid"]) for e in slices}), 4)
        self.assertEqual([e["name"] for e in events if e["ph"] == "i"], ["leads"])

    def test_bad_trace(self):
        (self.folder / "empty").write_bytes(b"")
        done = self.run_tool("plain", "empty", "-o", "r.html")
        self.assertEqual((done.returncode, done.stderr), (1, "mpiactor-report: empty: offset 0: the file is empty\n"))
        self.assertFalse((self.folder / "r.html").exists())

    def test_notes_are_said(self):
        made.write(self.folder, "k.0", made.section(0, 1, [made.record(0, 1, ranks=1)], closed=False, claimed=1))
        done = self.run_tool("k", "--json", "r.json")
        self.assertEqual((done.returncode, done.stderr), (0, "mpiactor-report: k: the job did not end by itself: "
                                                             "ranks [0] are read up to their last whole record\n"))

    def test_trace_without_calls(self):
        made.write(self.folder, "none", made.section(0, 1, []))
        done = self.run_tool("none", "-o", "r.html", "--json", "r.json", "--csv", "r.csv", "--perfetto", "p.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["traces"][0]["calls"], 0)

    def test_wrong_use(self):
        for arguments, text in (((), "required"), (("plain",), "nothing to write: give -o, --json, --csv or --perfetto"),
                                (("plain",) * 7 + ("-o", "x"), "7 traces; at most 6 are set side by side")):
            done = self.run_tool(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)

    def test_unwritable_page(self):
        done = self.run_tool("plain", "-o", "no/such/folder.html")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "mpiactor-report: cannot write no/such/folder.html: No such file or directory\n"))
        (self.folder / "folder").mkdir()
        self.assertEqual(self.run_tool("plain", "-o", "folder").returncode, 1)
        self.assertEqual(list(self.folder.glob("*.part")), [])

    def test_no_file_is_lost(self):
        before = (self.folder / "plain").read_bytes()
        for arguments, text in ((("-o", "./plain"), "-o ./plain is a trace that is read"),
                                (("--json", "plain.0"), "--json plain.0 is a part of a trace that is read"),
                                (("-o", "x", "--json", "./x"), "--json ./x is the file of -o, too")):
            done = self.run_tool("plain", *arguments)
            self.assertEqual((done.returncode, done.stderr), (1, f"mpiactor-report: {text}\n"))
        self.assertEqual((self.folder / "plain").read_bytes(), before)
        self.assertFalse((self.folder / "x").exists())

    def test_a_full_disk_is_named(self):
        done = self.run_tool("plain", "-o", "/dev/full")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "mpiactor-report: cannot write /dev/full: No space left on device\n"))

    def test_devices_are_written_to(self):
        device = self.folder / "null"
        try:
            os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
            device.write_text("")
        except PermissionError:
            self.skipTest("devices cannot be made here")
        for option in ("-o", "--json", "--csv", "--perfetto"):
            done = self.run_tool("plain", option, "null")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(stat.S_ISCHR(device.stat().st_mode), option)

    def test_pipes_are_written_to(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        read = []
        reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
        reader.start()
        done = self.run_tool("plain", "--json", "pipe")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        reader.join(timeout=10)
        self.assertEqual(json.loads(read[0])["traces"][0]["file"], "plain")
        done = self.run_tool("plain", "--csv", "/proc/self/fd/1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 3)

    def test_links_are_followed(self):
        (self.folder / "link").symlink_to("target")
        for _ in range(2):
            self.assertEqual(self.run_tool("plain", "--json", "link").returncode, 0)
            self.assertTrue((self.folder / "link").is_symlink())
            self.assertEqual(len(json.loads((self.folder / "target").read_text())["traces"]), 1)

    def test_names_need_not_be_utf8(self):
        name = os.fsdecode(b"caf\xe9.trace")
        os.rename(self.folder / "plain", self.folder / name)
        done = self.run_tool(name, "-o", "r.html", "--json", "r.json", "--csv", "r.csv", "--perfetto", "p.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["traces"][0]["file"], "caf\ufffd.trace")
        self.assertIn("caf\ufffd.trace", (self.folder / "r.html").read_text())


def page_library():
    return (TOOL.parent / "echarts" / "echarts.min.js").read_text()


if __name__ == "__main__":
    unittest.main()
