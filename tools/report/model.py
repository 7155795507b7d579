"""What static and competitive leaders would have cost, by the simulator: the recorded arrivals of each call, played
under both policies. Every call is played by itself, with the arrivals that were recorded. The simulator's program says
which calls are played, and why others are not."""

import json
import pathlib
import shutil
import subprocess

import calls as calls_of

FOLDER = pathlib.Path(__file__).resolve().parent
POLICIES = ("static", "competitive")
COLUMNS = ("recorded", *POLICIES)


class ModelError(Exception):
    """What the user can act on."""


def find_replay(given):
    """The simulator's program: as given, beside the report, as Bazel built it, or in PATH."""
    if given:
        if not pathlib.Path(given).is_file():
            raise ModelError(f"--replay: there is no file {given}")
        return str(pathlib.Path(given).resolve())
    for path in (FOLDER.parent / "mpiactor-replay", FOLDER.parent.parent / "bazel-bin" / "sim" / "replay"):
        if path.is_file():
            return str(path)
    found = shutil.which("mpiactor-replay")
    if not found:
        raise ModelError("--model: the program mpiactor-replay is not there; build it with: bazel build //sim:replay, "
                         "or name it by --replay")
    return found


def parts_by_node(call, node_of):
    nodes = {}
    for part in call.parts:
        nodes.setdefault(node_of[part.record.rank], []).append(part)
    return list(nodes.values())


def question(call, nodes, leader):
    parts = [part for members in nodes for part in members]
    asked = {"operation": calls_of.blocking_name(call.operation), "node_ranks": [len(members) for members in nodes],
             "bytes": call.bytes, "blocks": [part.record.bytes for part in parts],
             "algorithm": call.algorithm or "auto", "hybrid": call.hybrid, "leader": leader,
             "arrivals_ns": [part.record.arrival - call.first for part in parts]}
    if call.record.root >= 0:
        asked["root"] = next(place for place, part in enumerate(parts) if calls_of.is_root(part))
    return asked


def ask(replay, machine, questions):
    document = json.dumps({"machine": machine, "calls": questions})
    try:
        done = subprocess.run([replay], input=document, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ModelError(f"{replay} cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        why = done.stderr.strip().removeprefix("replay: ") or f"{replay} ended with status {done.returncode}"
        raise ModelError(f"--model: {why}")
    try:
        answer = json.loads(done.stdout)
        if len(answer["calls"]) == len(questions):
            return answer
    except (ValueError, TypeError, KeyError):
        pass
    raise ModelError(f"--replay: {replay} does not answer as mpiactor-replay does")


def sums(members):
    """`members`: for each call, the excess of its ranks in us under each of COLUMNS."""
    figures = {"calls": len(members)}
    for name in COLUMNS:
        values = [value for member in members for value in member[name]]
        figures[f"{name}_us"] = round(sum(values) / len(values), 3)
        figures[f"{name}_s"] = round(sum(values) / 1e6, 6)
    return figures


def excesses(call, nodes, played):
    """By column; and the plans between nodes."""
    parts = [part for members in nodes for part in members]
    return {"recorded": [part.excess / 1e3 for part in parts],
            **{name: played[name]["excess_us"] for name in POLICIES},
            "algorithms": {played[name]["algorithm"] for name in POLICIES}}


def gather(pairs):
    """Values by key, keys in order."""
    groups = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return {key: groups[key] for key in sorted(groups)}


def model_of(trace, calls, machine, replay):
    """The figures of one trace."""
    node_of = {section.rank: section.node for section in trace.sections}
    leader = trace.sections[0].leader
    by_node = [(call, parts_by_node(call, node_of)) for call in calls]
    answer = ask(replay, machine, [question(call, nodes, leader) for call, nodes in by_node])
    answers = [(call, nodes, played) for (call, nodes), played in zip(by_node, answer["calls"])]
    left_out = [((call.operation, played["left_out"]), call) for call, _, played in answers if "left_out" in played]
    members = [(call, excesses(call, nodes, played)) for call, nodes, played in answers if "left_out" not in played]
    groups = gather((call.key, member) for call, member in members)
    rows = [{"operation": key[0], "bytes": key[1], "ranks": key[2], **sums(of_key),
             "algorithms": sorted(set().union(*(member["algorithms"] for member in of_key)))}
            for key, of_key in groups.items()]
    operations = gather((call.operation, member) for call, member in members)
    return {"machine": answer["machine"], "candidates": answer["candidates"], "calls": len(members),
            **{f"{name}_s": round(sum(row[f"{name}_s"] for row in rows), 6) for name in COLUMNS},
            "operations": [{"operation": name, **sums(of_operation)} for name, of_operation in operations.items()],
            "groups": rows,
            "left_out": [{"operation": operation, "reason": reason, "calls": len(of_key)}
                         for (operation, reason), of_key in gather(left_out).items()],
            "reasons": answer["reasons"]}
