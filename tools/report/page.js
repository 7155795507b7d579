// What the page's controls do; the plots are in plots.js.
const chosenTrace = () => report.traces[Number($("trace").value)];

function chooseCall() {
  const call = chosenTrace().timelines[Number($("call").value)];
  $("plot-timeline").hidden = !call;
  if (call) drawTimeline(call);
}

function describe(call) {
  return `${call.call}: ${call.operation} ${formatBytes(call.bytes)}${call.root === null ? "" : ", root " + call.root}, ` +
    `${call.path}${call.algorithm ? " " + call.algorithm : ""}, at ${call.site}, spread ${formatUs(call.spread_us)}`;
}

function widest() {
  const spreads = chosenTrace().timelines.map((call) => call.spread_us);
  return Math.max(0, spreads.indexOf(largestOf(spreads)));
}

function chooseTrace() {
  const trace = chosenTrace();
  $("call").replaceChildren(...trace.timelines.map((call, i) => new Option(describe(call), i)));
  if (trace.timelines.length) $("call").value = String(widest());
  drawSpread(trace);
  drawHeat(trace);
  chooseCall();
}

function step(by) {
  const select = $("call");
  select.selectedIndex = Math.min(select.length - 1, Math.max(0, select.selectedIndex + by));
  chooseCall();
}

function drawAll() {
  drawSummary();
  drawComparison();
  drawLeaders();
  drawModel();
  drawSpread(chosenTrace());
  drawHeat(chosenTrace());
  chooseCall();
}

$("trace").addEventListener("change", chooseTrace);
for (const id of ["spread-by", "spread-of"]) $(id).addEventListener("change", () => drawSpread(chosenTrace()));
$("call").addEventListener("change", chooseCall);
$("previous").addEventListener("click", () => step(-1));
$("next").addEventListener("click", () => step(1));
$("widest").addEventListener("click", () => { $("call").value = String(widest()); chooseCall(); });
dark.addEventListener("change", drawAll);
let resizing = 0;
addEventListener("resize", () => { clearTimeout(resizing); resizing = setTimeout(drawAll, 100); });
chooseTrace();
drawAll();
