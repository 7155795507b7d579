#!/usr/bin/env python3
"""The page in a browser, where there is one (headless Chromium): TOOL REPLAY"""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
REPLAY = str(pathlib.Path(sys.argv.pop(2)).resolve())

import made_traces as made  # noqa: E402
from report_test_case import TOOL, ReportTestCase  # noqa: E402
import page  # noqa: E402

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

# Looks at the page in a frame of a given width, uses it as a keyboard's user would, and writes down what it sees.
PROBE = """<!DOCTYPE html><body><pre id="seen"></pre><iframe src="r.html" style="width:%dpx;height:3000px"></iframe>
<script>
onload = () => setTimeout(() => {
  const view = document.querySelector("iframe").contentWindow, page = view.document;
  const cells = () => [...page.querySelectorAll("#call-table td")].map((cell) => cell.textContent);
  const seen = { width: page.documentElement.scrollWidth, room: page.documentElement.clientWidth };
  seen.plots = Object.fromEntries([...page.querySelectorAll(".plot")].map((plot) =>
    [plot.id, plot.querySelectorAll("svg path, svg text").length]));
  seen.background = view.getComputedStyle(page.body).backgroundColor;
  seen.first = [page.getElementById("call").value, cells()];
  page.getElementById("spread-by").value = "site";
  page.getElementById("spread-by").dispatchEvent(new view.Event("change"));
  seen.legend = [...page.querySelectorAll("#plot-spread svg text")].map((text) => text.textContent);
  seen.model = [...page.querySelectorAll("#model [data-figure]")].map((cell) => [cell.dataset.figure, cell.textContent]);
  seen.modelPlot = [...page.querySelectorAll("#plot-model svg text")].map((text) => text.textContent);
  seen.links = [...page.querySelectorAll("nav a")].map((link) => [link.textContent, page.querySelector(link.hash) !== null]);
  const points = () => view.echarts.getInstanceByDom(page.getElementById("plot-spread")).getOption().series.map((s) => s.data.length);
  const all = points();
  seen.groups = [...page.getElementById("spread-of").options].map((option) => option.textContent);
  page.getElementById("spread-of").selectedIndex = 1;
  page.getElementById("spread-of").dispatchEvent(new view.Event("change"));
  seen.points = [all, points()];
  page.getElementById("trace").value = "1";
  page.getElementById("trace").dispatchEvent(new view.Event("change"));
  page.getElementById("next").click();
  seen.second = [page.getElementById("call").value, cells()];
  seen.unreachable = [...page.querySelectorAll("select, button, .scroll, summary, a")].filter((e) => e.tabIndex < 0).length;
  // Of many ranks; nothing is drawn here.
  view.draw = (id, option) => { seen.many = [id, option.visualMap.max]; };
  const ranks = [...Array(200000).keys()];
  view.drawHeat({ heat: { ranks, first_call: [0], lateness_us: ranks.map((rank) => [rank]) } });
  document.getElementById("seen").textContent = JSON.stringify(seen);
}, 1500);
</script>"""


SITES = [made.call_site(0x10, "/prog", "solve"), made.call_site(0x20, "/prog", "a_function_with_quite_a_long_name_for_a_page")]


@unittest.skipUnless(BROWSER, "no Chromium here")
class BrowserTest(ReportTestCase):
    def setUp(self):
        super().setUp()
        for name, leader, slower in (("a", "off", 100), ("b", "competitive", 10)):
            sections = []
            for rank in range(4):
                operations = ("MPI_Bcast", "MPI_Gather", "MPI_Bcast", "MPI_Alltoallv")
                records = [made.record(1000 * i + 50 * rank, 1000 * i + 200 + slower, rank=rank, ranks=4, sequence=i,
                                       bytes_=1 << (10 + i), operation=operation, hybrid=leader != "off",
                                       site=1 + i % 2, led=1000 * i + 50 * rank + 1 if leader != "off" and rank % 2 == 0 else None)
                           for i, operation in enumerate(operations)]
                sections.append(made.section(rank, 4, records, SITES, node=rank // 2, leader=leader))
            made.write(self.folder, name, *sections)
        subprocess.run([TOOL, "a", "b", "-o", "r.html", "--json", "r.json", "--model", "tcp_hosts", "--replay", REPLAY],
                       cwd=self.folder, check=True)

    def look(self, width, *options):
        (self.folder / "probe.html").write_text(PROBE % width)
        done = subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
             "--enable-logging=stderr", "--virtual-time-budget=8000", f"--window-size={max(width, 500)},3000",
             f"--user-data-dir={self.folder}/profile", *options, "--dump-dom", (self.folder / "probe.html").as_uri()],
            capture_output=True, text=True, timeout=300)
        self.assertNotIn("CONSOLE", done.stderr)
        seen = re.search(r'<pre id="seen">(.+?)</pre>', done.stdout)
        self.assertTrue(seen, done.stderr)
        return json.loads(html.unescape(seen[1]))

    def check(self, seen):
        self.assertLessEqual(seen["width"], seen["room"])
        self.assertEqual(len(seen["plots"]), 7)
        for name, shapes in seen["plots"].items():
            self.assertGreater(shapes, 8, name)
        self.assertEqual(seen["unreachable"], 0)
        self.assertEqual(seen["many"], ["plot-heat", 199999])
        self.assertTrue(any("prog+0x10 solve" in text for text in seen["legend"]), seen["legend"])
        report = json.loads((self.folder / "r.json").read_text())
        self.check_model(seen, report)
        self.assertEqual(seen["groups"], ["all", "prog+0x10 solve", "prog+0x20 a_function_with_quite_a_long_name_for_a_page"])
        self.assertEqual(seen["points"], [[2, 2], [2, 0]])
        for trace, (call, cells) in zip(report["traces"], (seen["first"], seen["second"])):
            columns = ["arrival_us", "led_us", "first_byte_us", "last_byte_us", "exit_us", "wait_us", "late_us", "transfer_us"]
            shown = [None if cell == "–" else float(cell.replace(",", "")) for cell in cells]
            self.assertEqual(shown, [row[key] for row in trace["timelines"][int(call)]["ranks"] for key in columns])

    def check_model(self, seen, report):
        # Two sizes of broadcasts and both together, one gather, all; by what is left out.
        self.assertEqual(len([name for name, _ in seen["model"] if name.startswith("traces.1.model.")]), 7 + 7 + 7 + 7 + 4 + 1)
        for name, shown in seen["model"]:
            expected = page.look_up(report, name)
            self.assertAlmostEqual(float(shown.replace(",", "")), expected, delta=max(abs(expected) * 1e-3, 0.0006), msg=name)
        for text in ("recorded", "modelled static", "modelled competitive", "Bcast, plain", "Gather, competitive"):
            self.assertIn(text, seen["modelPlot"])
        self.assertEqual([text for text, _ in seen["links"]],
                         ["Summary", "Side by side", "One trace", "Call sites", "Model", "Leaders", "Operations", "Runs"])
        self.assertTrue(all(target for _, target in seen["links"]))

    def test_wide_and_light(self):
        seen = self.look(1280, "--blink-settings=preferredColorScheme=1")
        self.check(seen)
        self.assertEqual(seen["background"], "rgb(255, 255, 255)")
        self.assertEqual((seen["first"][0], seen["second"][0]), ("0", "1"))

    def test_narrow_and_dark(self):
        seen = self.look(400, "--blink-settings=preferredColorScheme=0")
        self.check(seen)
        self.assertEqual(seen["background"], "rgb(13, 17, 23)")


if __name__ == "__main__":
    unittest.main()
