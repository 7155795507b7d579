#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "inter/cost_model.h"
#include "sim/reproduce/sections.h"

namespace mpiactor::sim {
namespace {

struct Published {
  double b_mbps;
  double m_half_bytes;
  double t0_us;
};

enum class Parameters {
  kCollective,  // as in the machine file
  kPingPong,    // one message in one piece, outside any collective: without a collective's start-up
  // [K-perf] Table 7: 1.0 us of software and 0.6 us of hardware for every message, 15,000 MB/s over
  // four interfaces together, whose links keep their 5 GB/s.
  kAllgather,
};

struct Row {
  const char* name;
  const char* collective;
  const char* shape;
  const char* algorithm;
  const char* sizes;
  Parameters parameters;
  Published measured;
  Published model;
};

// The fits of the paper begin at 128 KiB for broadcast and allreduce; shorter ones are not
// pipelined.
constexpr const char* kLong = "128K..256M";
constexpr Row kRows[] = {
    {"PingPong",
     "bcast",
     "2",
     "linear",
     kLong,
     Parameters::kPingPong,
     {4685, 4.894e4, 10.45},
     {4500, 3.134e4, 6.965}},
    {"Bcast 1D",
     "bcast",
     "384",
     "pipeline",
     kLong,
     Parameters::kCollective,
     {3616, 1.010e7, 2795},
     {4500, 9.078e6, 2017}},
    {"Bcast 2D",
     "bcast",
     "64x6",
     "trinaryx3",
     kLong,
     Parameters::kCollective,
     {7467, 4.092e6, 548.0},
     {9000, 3.344e6, 371.6}},
    {"Bcast 3D",
     "bcast",
     "8x6x8",
     "trinaryx3",
     kLong,
     Parameters::kCollective,
     {10400, 1.756e6, 168.9},
     {13500, 1.550e6, 114.8}},
    {"Allreduce 3D",
     "allreduce",
     "8x6x8",
     "trinaryx3",
     kLong,
     Parameters::kCollective,
     {5266, 1.024e6, 388.8},
     {6306, 1.350e6, 428.2}},
    {"Allgather 3D small",
     "allgather",
     "8x6x8",
     "multiring3d",
     "256..32K",
     Parameters::kAllgather,
     {149'800, 6.206e5, 1590},
     {1'920'000, 7.669e7, 1534}},
    {"Allgather 3D large",
     "allgather",
     "8x6x8",
     "multiring3d",
     "64K..1M",
     Parameters::kAllgather,
     {13210, 6.917e3, 201.1},
     {15040, 9.470e3, 241.8}},
};

void set_allgather_parameters(Machine* machine) {
  machine->link_mbps = 5000;
  machine->path_mbps = 15000;
  machine->send_overhead_ps = kPicosecondsPerMicrosecond;
  machine->receive_overhead_ps = 0;
  machine->wire_latency_ps = kPicosecondsPerMicrosecond / 2;  // and 0.1 us for the hop
  machine->rendezvous_ps = 0;
}

Fit simulate_row(const Row& row, const char* machine_name) {
  SweepInput sweep =
      sweep_of(row.collective, load_machine(machine_name), row.shape, row.algorithm, row.sizes);
  Machine& machine = sweep.base.machine;
  const bool model = machine.name == "k_model";
  if (row.parameters != Parameters::kCollective) {
    machine.startup_ps = 0;
    sweep.base.segment_bytes = sweep.sizes.back();
  }
  if (row.parameters == Parameters::kAllgather && model) set_allgather_parameters(&machine);
  return fit_sweep(sweep, sweep_sizes(sweep)).value();
}

std::vector<std::string> table_row(const std::string& name, const Fit& fit,
                                   const Published& published) {
  return {name,
          number(fit.b_mbps),
          number(published.b_mbps),
          deviation(fit.b_mbps, published.b_mbps),
          fmt::format("{:.3e}", fit.m_half_bytes),
          fmt::format("{:.3e}", published.m_half_bytes),
          number(fit.t0_us),
          number(published.t0_us),
          deviation(fit.t0_us, published.t0_us)};
}

bool within(double value, double reference, double share) {
  return std::abs(value / reference - 1) <= share;
}

// Why the simulated value is where it is.
struct Reasons {
  const char* measured;  // none: no aim
  const char* b;
  const char* t0;
};

Reasons reasons(const Row& row) {
  const std::string name = row.name;
  if (name == "PingPong") return {nullptr, "-", "rendezvous and one latency, as the model"};
  if (name == "Allreduce 3D") {
    return {nullptr,
            "above the model: broadcast overlaps reduce here and follows it in the model; bound by "
            "the node that combines most, see below",
            "below the model, by the same overlap"};
  }
  if (name == "Allgather 3D small") {
    return {
        nullptr,
        "a line that is flat to 0.1 %: all but the last quarters' time on links hides behind the "
        "overheads, while the model exposes M / B three times",
        "four overheads of 1 us for each of 383 steps, as the model"};
  }
  if (name == "Allgather 3D large") {
    return {nullptr,
            "the four ways turn into their next axis at different times and then share links; "
            "blocks that "
            "wait for such a link keep interfaces from others",
            "blocks follow each other without waiting, which hides the 0.6 us that the model "
            "counts at every step"};
  }
  return {"unfitted parameters; latency stays exposed with one outstanding segment",
          "thirds of a message are not whole numbers of segments",
          "the model counts the first segment twice, in the fill and in M / B"};
}

void add_targets(const Row& row, const Fit& raw, const Fit& ours, Document* document) {
  const Reasons why = reasons(row);
  if (why.measured != nullptr) {
    document->target(fmt::format("[K-perf] {} B as K measured (a)", row.name),
                     number(raw.b_mbps) + " MB/s", number(row.measured.b_mbps) + " MB/s within 5 %",
                     within(raw.b_mbps, row.measured.b_mbps, 0.05), why.measured);
  }
  document->target(
      fmt::format("[K-perf] {} B as the model (b)", row.name),
      fmt::format("{} MB/s with `k_model`; {} with `k`", number(ours.b_mbps), number(raw.b_mbps)),
      number(row.model.b_mbps) + " MB/s within 5 %, with `k_model`",
      within(ours.b_mbps, row.model.b_mbps, 0.05), why.b);
  document->target(
      fmt::format("[K-perf] {} t0 as the model (b)", row.name),
      fmt::format("{} us with `k_model`; {} with `k`", number(ours.t0_us), number(raw.t0_us)),
      number(row.model.t0_us) + " us within 15 %, with `k_model`",
      within(ours.t0_us, row.model.t0_us, 0.15), why.t0);
}

// The paper's own sequence: the reduce plan, and when it is over everywhere the broadcast plan.
// Start-up and rendezvous count once, as in the model.
Fit simulate_sequence(double reduce_mbps) {
  Machine machine = load_machine("k_model");
  machine.reduce_mbps = reduce_mbps;
  const auto bcast = sweep_sizes(sweep_of("bcast", machine, "8x6x8", "trinaryx3", kLong));
  machine.startup_ps = 0;
  machine.rendezvous_ps = 0;
  const auto reduce = sweep_sizes(sweep_of("reduce", machine, "8x6x8", "trinaryx3", kLong));
  std::vector<TimedSize> times;
  for (std::size_t k = 0; k < bcast.size(); ++k) {
    times.push_back({bcast[k].bytes, bcast[k].time_us + reduce[k].time_us});
  }
  return fit_throughput(times, 2).value();
}

// What the model's formula makes of the pace of combining: 16 KiB of each of three trees in
// L + 16 KiB / (T_c / 3).
double pace_of_the_model_mbps() {
  constexpr double kSegment = 16384;
  constexpr double kLatencyUs = 1.6;
  constexpr double kReduceMbps = 4750;
  return 3 * kSegment / (kLatencyUs + kSegment / (kReduceMbps / 3));
}

// One segment in each tree, through the sequence, over the formula's time for it; every hop of the
// reduction at a third of T_c, as the formula has it.
double first_segments_against_the_formula() {
  constexpr std::uint64_t kBytes = 3 * inter::kKSegmentBytes;
  Machine machine = load_machine("k_model");
  machine.reduce_mbps = inter::kKReduceMbps / 3;
  const auto time_us = [&](const char* collective) {
    return sweep_sizes(sweep_of(collective, machine, "8x6x8", "trinaryx3", std::to_string(kBytes)))
        .front()
        .time_us;
  };
  const double bcast_us = time_us("bcast");
  machine.startup_ps = 0;
  machine.rendezvous_ps = 0;
  const double formula_us =
      inter::trinaryx3_allreduce_us(parse_shape("8x6x8"), kBytes, inter::kKSegmentBytes,
                                    inter::kKLink, inter::kKReduceMbps, inter::kKStartupUs);
  return (bcast_us + time_us("reduce")) / formula_us;
}

// Allgather by blocks of 256 B to 1 MiB: the largest deviation of a simulated time from the
// formula's; as the machine is, and with as many interfaces as links.
double largest_deviation_of_allgather(const char* sizes, int interfaces) {
  SweepInput sweep = sweep_of("allgather", load_machine("k_model"), "8x6x8", "multiring3d", sizes);
  set_allgather_parameters(&sweep.base.machine);
  sweep.base.machine.startup_ps = 0;
  sweep.base.machine.interfaces = interfaces;
  sweep.base.segment_bytes = sweep.sizes.back();
  double largest = 0;
  for (const SweepPoint& point : sweep_sizes(sweep)) {
    const double formula = inter::multi_ring_allgather_us(384, point.bytes, {});
    const double off = point.time_us / formula - 1;
    if (std::abs(off) > std::abs(largest)) largest = off;
  }
  return largest;
}

// The most bytes that a node combines, as a multiple of the message.
double most_combined(const char* shape_text) {
  const inter::Shape shape = parse_shape(shape_text);
  const std::string name = "trinaryx3";
  const inter::Algorithm& algorithm = parse_algorithm(inter::Collective::kAllreduce, name, shape);
  constexpr std::uint64_t kBytes = 3 << 20;
  std::uint64_t most = 0;
  for (int node = 0; node < shape.nodes(); ++node) {
    inter::PlanInput input;
    input.shape = shape;
    input.bytes = kBytes;
    input.node = node;
    std::uint64_t combined = 0;
    for (const inter::PlanOp& op : algorithm.make_plan(input).ops) {
      if (op.kind == inter::OpKind::kReceiveReduce) combined += op.bytes;
    }
    most = std::max(most, combined);
  }
  return static_cast<double>(most) / static_cast<double>(kBytes);
}

// Allreduce and allgather deviate from the model by what the model leaves out; simulated variations
// show by what.
void add_variations(Document* document) {
  const Published model{6306, 1.350e6, 428.2};
  const Fit as_it_is = simulate_sequence(load_machine("k_model").reduce_mbps);
  const double most = most_combined("8x6x8");
  const Fit at_pace = simulate_sequence(pace_of_the_model_mbps() * most);
  document->subheading("Reduce, then broadcast");
  document->paragraph(fmt::format(
      "The overlapped allreduce above is ours. The paper's sequence, the broadcast plan begun when "
      "the reduce plan is over, on `k_model`: with T_c as published, where the busiest node "
      "combines "
      "{:.2f} M; and at the pace of the model's formula, in which every node combines M and waits "
      "L "
      "for each segment ({:.0f} MB/s, so {:.0f} MB/s for that node).",
      most, pace_of_the_model_mbps(), pace_of_the_model_mbps() * most));
  document->table(
      {"sequence", "B", "model", "deviation", "M1/2", "model", "t0 us", "model", "deviation"},
      {table_row("T_c as published", as_it_is, model),
       table_row("pace of the formula", at_pace, model)});
  document->target("[K-perf] Allreduce 3D as the paper's sequence, B as the model (b)",
                   number(at_pace.b_mbps) + " MB/s with `k_model`", "6306 MB/s within 5 %",
                   within(at_pace.b_mbps, model.b_mbps, 0.05),
                   "at the formula's pace of combining; see \"Reduce, then broadcast\"");
  document->target("[K-perf] Allreduce 3D as the paper's sequence, t0 as the model (b)",
                   number(at_pace.t0_us) + " us with `k_model`", "428.2 us within 15 %",
                   within(at_pace.t0_us, model.t0_us, 0.15),
                   fmt::format("the formula gives every hop of the fill a third of T_c, though at "
                               "first only one tree has anything to combine there; with T_c / 3 "
                               "everywhere the first segments take {:.2f} of the formula's time",
                               first_segments_against_the_formula()));
  const double small = largest_deviation_of_allgather("256..32K", 4);
  const double large = largest_deviation_of_allgather("64K..1M", 4);
  document->target("[K-perf] Allgather 3D, 256 B to 32 KiB: each time against the formula's",
                   fmt::format("{:+.1f} % at most with `k_model`", 100 * small), "within 5 %",
                   std::abs(small) <= 0.05,
                   "the times agree; B of short blocks is the slope of a line that is nearly flat");
  document->target("[K-perf] Allgather 3D, 64 KiB to 1 MiB: each time against the formula's",
                   fmt::format("{:+.1f} % at most with `k_model`; {:+.1f} % with six interfaces",
                               100 * large, 100 * largest_deviation_of_allgather("64K..1M", 6)),
                   "within 10 %", std::abs(large) <= 0.10,
                   "blocks that wait for a link keep an interface");
}

}  // namespace

void reproduce_k_table(Document* document) {
  document->heading("[K-perf] Table 1: throughput on 384 nodes of K");
  document->paragraph(
      "Fit of time = t0 + work * M / B by least relative squares, 16 KiB segments; M1/2 and B as "
      "the paper defines them for each collective (throughput M / t, allreduce 2 M / t, allgather "
      "384 M / t with M of each node). Sizes 128 KiB to 256 MiB; allgather small 256 B to 32 KiB, "
      "large 64 KiB to 1 MiB, in whole blocks. (a) is machine `k`: the published raw figures (5 "
      "GB/s links, 1.27 us between neighbours) and one outstanding segment per child, beside what "
      "K *measured*. (b) is machine `k_model`: the paper's own B and L (Table 7's for allgather) "
      "and two outstanding segments, beside the paper's *model*.");
  std::vector<std::vector<std::string>> as_it_was;
  std::vector<std::vector<std::string>> pipelined;
  for (const Row& row : kRows) {
    const Fit raw = simulate_row(row, "k");
    const Fit ours = simulate_row(row, "k_model");
    as_it_was.push_back(table_row(row.name, raw, row.measured));
    pipelined.push_back(table_row(row.name, ours, row.model));
    add_targets(row, raw, ours, document);
  }
  document->table({"(a) `k`", "B", "measured", "deviation", "M1/2", "measured", "t0 us", "measured",
                   "deviation"},
                  as_it_was);
  document->paragraph(
      "t0 of (a) lies below what K measured: from 1D, K took 7.3 us for each link of the chain, "
      "where 16 KiB at 5 GB/s and the published latency make 4.55 us; the paper's model (5.24 us) "
      "does not explain it either. PingPong's B of (a) is the raw link; K reached 94 % of it. "
      "Allgather (a) takes K's overhead of 0.18 us a message, K's own library four times 1 us a "
      "step.");
  document->table(
      {"(b) `k_model`", "B", "model", "deviation", "M1/2", "model", "t0 us", "model", "deviation"},
      pipelined);
  document->paragraph(
      "The paper prints M1/2 = 7.669e7 for the small allgather of its model. That contradicts its "
      "own definition: B t0 / 384 = 7.669e6, a tenth. The deviation of our M1/2 from that is the "
      "deviation of B.");
  document->paragraph(fmt::format(
      "The gap between (a) and (b) of the broadcasts is the latency that one outstanding segment "
      "leaves exposed: a segment takes 3.28 us on the link and 1.27 us of latency, so the link "
      "idles for 28 % of the time. A second outstanding segment hides it. Allreduce is bound by "
      "combining at T_c = 4,750 MB/s: the node that has most children in the three trees combines "
      "{:.2f} M, so B tends to 2 * 4,750 / {:.2f} = {:.0f} MB/s with either machine. In the "
      "paper's "
      "model every node combines M with a latency for each segment, and broadcast follows reduce: "
      "6,306. K measured 5,266, where reduce and broadcast do follow each other.",
      most_combined("8x6x8"), most_combined("8x6x8"), 9500 / most_combined("8x6x8")));
  add_variations(document);
}

}  // namespace mpiactor::sim
