"use strict";
// The plots. Every figure comes from the JSON in the page; nothing is computed here but labels.
const report = JSON.parse(document.getElementById("figures").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const plots = new Map();
const $ = (id) => document.getElementById(id);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
// As page_parts.py has it.
const formatBytes = (n) => {
  for (const [shift, suffix] of [[30, "G"], [20, "M"], [10, "K"]]) {
    if (n >= 2 ** shift) return Number((n / 2 ** shift).toFixed(2)) + suffix;
  }
  return String(n);
};
const format = (n) => (n === null ? "–" : Number(n.toPrecision(4)).toLocaleString("en"));
const formatUs = (n) => format(n) + " us";
const shorten = (name) => name.replace(/^MPI_/, "");
// As an argument each, many numbers would overflow the stack.
const largestOf = (numbers, least = 0) => numbers.reduce((a, b) => Math.max(a, b), least);
const narrow = () => innerWidth < 600;

// What all plots have in common.
function draw(id, option, height) {
  const element = $(id);
  if (height) element.style.height = height + "px";
  let plot = plots.get(id);
  if (!plot) {
    plot = echarts.init(element, null, { renderer: "svg" });
    plots.set(id, plot);
  }
  plot.resize();
  plot.setOption({
    animation: !still.matches,
    animationDuration: 200,
    backgroundColor: "transparent",
    textStyle: { color: colour("ink"), fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 13 },
    grid: { left: 60, right: 24, top: 64, bottom: 52 },
    ...option,
  }, true);
}
// Room for the names of a category axis.
const beside = (names, more = {}) =>
  ({ left: Math.min(200, 16 + 7.4 * largestOf(names.map((name) => name.length))), right: 24, top: 40, bottom: 52, ...more });
const legend = (more = {}) => ({ top: 4, left: 0, type: "scroll", textStyle: { color: colour("ink") },
  pageTextStyle: { color: colour("ink") }, pageIconColor: colour("link"), ...more });
const axis = (more = {}) => ({
  axisLine: { lineStyle: { color: colour("muted") } }, axisLabel: { color: colour("ink"), hideOverlap: true },
  nameTextStyle: { color: colour("muted") }, splitLine: { lineStyle: { color: colour("line") } }, ...more });
const valueAxis = (name, more = {}) =>
  axis({ type: "value", name, nameLocation: "middle", nameGap: 28, splitNumber: narrow() ? 3 : 6, ...more });
const tooltip = (more = {}) => ({ confine: true, backgroundColor: colour("panel"), borderColor: colour("line"),
  textStyle: { color: colour("ink") }, ...more });

function drawSummary() {
  const labels = report.traces.map((trace) => trace.label);
  const parts = [["wait", "wait"], ["late", "late others"], ["transfer", "transfer"]];
  draw("plot-summary", {
    legend: legend(), tooltip: tooltip({ trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: (v) => format(v) + " s" }),
    grid: beside(labels), xAxis: valueAxis("rank-seconds"), yAxis: axis({ type: "category", data: labels, inverse: true }),
    series: parts.map(([key, name]) => ({ name, type: "bar", stack: "time", barMaxWidth: 36,
      itemStyle: { color: colour(key) }, data: report.traces.map((trace) => trace.summary[key + "_s"]) })),
  }, 130 + 48 * labels.length);
}

const traceColours = () => ["wait", "first", "transfer", "led", "last", "late"].map(colour);

function drawComparison() {
  if (!report.comparison.length) return;
  const short = (row) => `${shorten(row.operation)} ${formatBytes(row.bytes)}`;
  // Ranks where they tell rows apart.
  const alike = (row) => report.comparison.filter((other) => short(other) === short(row)).length > 1;
  const names = report.comparison.map((row) => short(row) + (alike(row) ? `, ${row.ranks} ranks` : ""));
  draw("plot-comparison", {
    color: traceColours(), legend: legend(),
    tooltip: tooltip({ trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: formatUs }),
    grid: { left: 60, right: 24, top: 64, bottom: narrow() ? 100 : 52 },
    xAxis: axis({ type: "category", data: names, axisLabel: { color: colour("ink"), rotate: narrow() ? 45 : 0, hideOverlap: true, ...narrow() && { interval: Math.floor(names.length / 10) } } }),
    yAxis: axis({ type: "log", name: "us", min: (range) => 10 ** Math.floor(Math.log10(Math.max(range.min, 0.001))) }),
    series: report.traces.map((trace, i) => ({ name: trace.label, type: "scatter", symbolSize: 14,
      symbol: ["diamond", "rect", "circle", "triangle", "pin", "arrow"][i],
      data: report.comparison.map((row) => row.traces[i].excess_mean_us || null) })),
  });
}

// A legend of many entries is paged by the mouse alone: keyboards choose by a list.
function offerGroups(names) {
  const chosen = $("spread-of").value;
  $("spread-of").replaceChildren(new Option("all", ""), ...names.map((name) => new Option(name)));
  if (names.includes(chosen)) $("spread-of").value = chosen;
}

function drawSpread(trace) {
  const groups = new Map();
  for (const point of trace.spread) {
    const name = $("spread-by").value === "site" ? point.site : `${shorten(point.operation)} ${formatBytes(point.bytes)}`;
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push([point.at_s, point.spread_us]);
  }
  offerGroups([...groups.keys()]);
  const only = $("spread-of").value;
  draw("plot-spread", {
    color: ["transfer", "late", "led", "first", "last", "wait"].map(colour), legend: legend(),
    tooltip: tooltip({ formatter: (p) => `${p.seriesName}<br>at ${format(p.value[0])} s: ${formatUs(p.value[1])}` }),
    xAxis: valueAxis("s since the start"), yAxis: valueAxis("us", { nameLocation: "end", nameGap: 12 }),
    series: [...groups].map(([name, data]) => ({ name, type: "scatter", symbolSize: 6, data: only && only !== name ? [] : data })),
  });
}

function drawHeat(trace) {
  const cells = [];
  trace.heat.lateness_us.forEach((row, y) => row.forEach((value, x) => { if (value !== null) cells.push([x, y, value]); }));
  const largest = largestOf(cells.map((cell) => cell[2]), 1e-3);
  draw("plot-heat", {
    grid: beside(trace.heat.ranks.map((rank) => `rank ${rank}`), { top: 16, bottom: 96 }),
    tooltip: tooltip({ formatter: (p) => `rank ${trace.heat.ranks[p.value[1]]}, from call ${trace.heat.first_call[p.value[0]]}<br>${formatUs(p.value[2])}` }),
    xAxis: axis({ type: "category", data: trace.heat.first_call.map(String), name: "call", nameLocation: "middle", nameGap: 28, splitLine: { show: false } }),
    yAxis: axis({ type: "category", data: trace.heat.ranks.map((rank) => `rank ${rank}`), inverse: true }),
    visualMap: { min: 0, max: largest, calculable: false, orient: "horizontal", left: "center", bottom: 0, precision: 0,
      text: [formatUs(largest), "0"], textStyle: { color: colour("ink") }, inRange: { color: [colour("cold"), colour("warm")] } },
    series: [{ type: "heatmap", data: cells, progressive: 0 }],
  }, Math.min(900, 150 + 22 * trace.heat.ranks.length));
}

function drawLeaders() {
  const shown = report.traces.filter((trace) => trace.hybrid_calls > 0);
  $("plot-leaders").hidden = shown.length === 0;
  if (!shown.length) return;
  const bars = [];  // one a node of a trace, stacked by the member's place in its node
  for (const trace of shown) {
    for (const node of trace.leaders) bars.push({ name: `${trace.label}, node ${node.node}`, ranks: node.ranks });
  }
  const members = largestOf(bars.map((bar) => bar.ranks.length));
  draw("plot-leaders", {
    color: traceColours().slice(1), legend: legend(),
    tooltip: tooltip({ formatter: (p) => { const r = bars[p.dataIndex].ranks[p.seriesIndex]; return `${p.name}<br>rank ${r.rank} led ${r.led}`; } }),
    grid: beside(bars.map((bar) => bar.name)), xAxis: valueAxis("calls led"), yAxis: axis({ type: "category", inverse: true, data: bars.map((bar) => bar.name) }),
    series: Array.from({ length: members }, (_, m) => ({ name: `member ${m}`, type: "bar", stack: "led", barMaxWidth: 28,
      data: bars.map((bar) => bar.ranks[m]?.led ?? null) })),
  }, 120 + 34 * bars.length);
}

// A row for each operation of each trace; excess of almost nothing lies at the left edge.
function drawModel() {
  if (!$("plot-model")) return;
  const rows = report.traces.flatMap((trace) => trace.model.operations.map((operation) =>
    ({ ...operation, name: shorten(operation.operation) + (report.traces.length > 1 ? `, ${trace.label}` : "") })));
  $("plot-model").hidden = rows.length === 0;
  if (!rows.length) return;
  const names = rows.map((row) => row.name);
  const series = [["recorded", "recorded", "diamond"], ["static", "modelled static", "rect"],
    ["competitive", "modelled competitive", "circle"]];
  draw("plot-model", {
    color: ["wait", "first", "transfer"].map(colour), legend: legend({ type: "plain" }),
    tooltip: tooltip({ trigger: "axis", axisPointer: { type: "shadow", axis: "y" }, valueFormatter: (v) => formatUs(Array.isArray(v) ? v[0] : v) }),
    grid: beside(names, { top: narrow() ? 68 : 40 }),
    xAxis: axis({ type: "log", name: "us, mean of ranks and calls", nameLocation: "middle", nameGap: 28,
      min: (range) => 10 ** Math.floor(Math.log10(Math.max(range.min, 0.001))) }),
    yAxis: axis({ type: "category", data: names, inverse: true }),
    series: series.map(([key, name, symbol]) => ({ name, type: "scatter", symbol, symbolSize: 14,
      data: rows.map((row, y) => [Math.max(row[key + "_us"], 0.001), y]) })),
  }, (narrow() ? 138 : 110) + 36 * rows.length);
}

const MOMENTS = [["arrival_us", "arrival"], ["led_us", "leads"], ["first_byte_us", "first byte"],
  ["last_byte_us", "last byte"], ["exit_us", "exit"]];

function drawTimeline(call) {
  const names = call.ranks.map((row) => `rank ${row.rank}${row.rank === call.root ? " (root)" : ""}`);
  const bar = (name, key, fill) => ({ name, type: "bar", stack: "call", barMaxWidth: 18, itemStyle: { color: fill },
    emphasis: { disabled: true }, data: call.ranks.map((row) => row[key]) });
  const mark = (name, key, symbol, fill) => ({ name, type: "scatter", symbol, symbolSize: 12, z: 5,
    itemStyle: { color: fill, borderColor: colour("page"), borderWidth: 1 },
    data: call.ranks.flatMap((row, i) => (row[key] === null ? [] : [[row[key], i]])) });
  draw("plot-timeline", {
    legend: legend({ type: "plain", data: ["wait", "late others", "transfer", "leads", "first byte", "last byte"] }),
    tooltip: tooltip({ trigger: "axis", axisPointer: { type: "shadow", axis: "y" }, formatter: (all) => {
      const row = call.ranks[all[0].dataIndex];
      const at = names.indexOf(all[0].axisValueLabel ?? all[0].name);
      const chosen = at >= 0 ? call.ranks[at] : row;
      return `rank ${chosen.rank}<br>` + MOMENTS.map(([key, name]) => `${name}: ${chosen[key] === null ? "–" : formatUs(chosen[key])}`).join("<br>");
    } }),
    grid: beside(names, { top: narrow() ? 68 : 40 }), xAxis: valueAxis("us since the first arrival"), yAxis: axis({ type: "category", data: names, inverse: true }),
    series: [bar("before", "arrival_us", "transparent"), bar("wait", "wait_us", colour("wait")),
      bar("late others", "late_us", colour("late")), bar("transfer", "transfer_us", colour("transfer")),
      mark("leads", "led_us", "triangle", colour("led")), mark("first byte", "first_byte_us", "circle", colour("first")),
      mark("last byte", "last_byte_us", "rect", colour("last"))],
  }, Math.min(1200, (narrow() ? 158 : 130) + 30 * names.length));
  fillCallTable(call);
}

function fillCallTable(call) {
  const columns = [...MOMENTS, ["wait_us", "wait"], ["late_us", "late others"], ["transfer_us", "transfer"]];
  const element = (tag, text, scope) => {
    const cell = document.createElement(tag);
    cell.textContent = text;
    if (scope) cell.scope = scope;
    return cell;
  };
  const head = document.createElement("tr");
  head.append(element("th", "rank", "col"), ...columns.map(([, name]) => element("th", name + ", us", "col")));
  const rows = call.ranks.map((row) => {
    const line = document.createElement("tr");
    line.append(element("th", row.rank, "row"), ...columns.map(([key]) => element("td", format(row[key]))));
    return line;
  });
  const thead = document.createElement("thead");
  thead.append(head);
  const body = document.createElement("tbody");
  for (const row of rows) body.append(row);
  $("call-table").replaceChildren(thead, body);
}
