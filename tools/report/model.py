"""What static and competitive leaders would have cost, by the simulator: the recorded arrivals of each broadcast,
played under both policies. Every call is played by itself, with the arrivals that were recorded."""

import json
import pathlib
import shutil
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent
POLICIES = ("static", "competitive")


class ModelError(Exception):
    """What the user can act on."""


def find_replay(given):
    """The simulator's program: as given, beside the report, as Bazel built it, or in PATH."""
    if given:
        if not pathlib.Path(given).is_file():
            raise ModelError(f"--replay: there is no file {given}")
        return str(given)
    for path in (FOLDER.parent / "mpiactor-replay", FOLDER.parent.parent / "bazel-bin" / "sim" / "replay"):
        if path.is_file():
            return str(path)
    found = shutil.which("mpiactor-replay")
    if not found:
        raise ModelError("--model: the program mpiactor-replay is not there; build it with: bazel build //sim:replay, "
                         "or name it by --replay")
    return found


def arrange(call, node_of):
    """(parts node by node, the root's place among them); or why the call cannot be played."""
    nodes = {}
    for part in call.parts:
        nodes.setdefault(node_of[part.record.rank], []).append(part)
    if len(nodes) == 1:
        return None, "one_node"
    if len({len(members) for members in nodes.values()}) > 1:
        return None, "uneven_nodes"
    if call.bytes == 0:
        return None, "no_bytes"
    parts = [part for members in nodes.values() for part in members]
    return parts, next(place for place, part in enumerate(parts) if part.record.comm_rank == call.record.root)


def question(call, parts, root, node_of):
    return {"nodes": len({node_of[part.record.rank] for part in parts}),
            "ranks_per_node": len(parts) // len({node_of[part.record.rank] for part in parts}), "root": root,
            "bytes": call.bytes, "algorithm": call.algorithm or "auto",
            "arrivals_ns": [part.record.arrival - call.first for part in parts]}


def ask(replay, machine, questions):
    document = json.dumps({"machine": machine, "calls": questions})
    try:
        done = subprocess.run([replay], input=document, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ModelError(f"{replay} cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        raise ModelError(f"--model: {done.stderr.strip().removeprefix('replay: ')}")
    return json.loads(done.stdout)


def mean(values):
    return round(sum(values) / len(values), 3)


def group_figures(key, members):
    """`members`: (recorded, static, competitive) excess of each call's ranks, us, and the algorithm."""
    bytes_, ranks = key
    figures = {"bytes": bytes_, "ranks": ranks, "calls": len(members),
               "algorithms": sorted({algorithm for _, _, _, algorithm in members})}
    for place, name in enumerate(("recorded", *POLICIES)):
        values = [value for member in members for value in member[place]]
        figures[f"{name}_us"] = mean(values)
        figures[f"{name}_s"] = round(sum(values) / 1e6, 6)
    return figures


def model_of(trace, calls, machine, replay):
    """The figures of one trace's broadcasts."""
    node_of = {section.rank: section.node for section in trace.sections}
    left_out = {"one_node": 0, "uneven_nodes": 0, "no_bytes": 0}
    chosen, questions = [], []
    for call in calls:
        if call.operation != "MPI_Bcast":
            continue
        parts, root = arrange(call, node_of)
        if parts is None:
            left_out[root] += 1
            continue
        chosen.append((call, parts))
        questions.append(question(call, parts, root, node_of))
    answer = ask(replay, machine, questions)
    groups = {}
    for (call, parts), played in zip(chosen, answer["calls"]):
        groups.setdefault((call.bytes, len(parts)), []).append(
            ([part.excess / 1e3 for part in parts], played["static_excess_us"], played["competitive_excess_us"],
             played["algorithm"]))
    rows = [group_figures(key, groups[key]) for key in sorted(groups)]
    return {"machine": answer["machine"], "candidates": answer["candidates"], "calls": len(chosen), "left_out": left_out,
            **{f"{name}_s": round(sum(row[f"{name}_s"] for row in rows), 6) for name in ("recorded", *POLICIES)},
            "groups": rows}
