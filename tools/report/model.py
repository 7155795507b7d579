"""What static and competitive leaders would have cost, by the simulator: the recorded arrivals of each call, played
under both policies. Every call is played by itself, with the arrivals that were recorded."""

import json
import pathlib
import shutil
import subprocess

import calls as calls_of

FOLDER = pathlib.Path(__file__).resolve().parent
POLICIES = ("static", "competitive")
COLUMNS = ("recorded", *POLICIES)

# What the runtime's code says of who talks for a node (actor/collectives).
EXCHANGES = {"MPI_Allgather", "MPI_Alltoall"}
PLAYED = {"MPI_Bcast", "MPI_Scatter", "MPI_Gather", "MPI_Reduce"} | EXCHANGES
# All ranks wait for all, or one and the same rank of a node talks under both policies.
SAME_ALWAYS = {"MPI_Barrier", "MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"}
# Up to so many nodes whoever comes last sends a node's part; on more its lowest rank does, always.
FEW_NODES = 8
# Blocks longer than these, in bytes, and scatters and gathers on more nodes are left to the MPI library.
LEFT_TO_MPI = {"MPI_Allgather": 32 << 10, "MPI_Alltoall": 4 << 10, "MPI_Scatter": 1 << 20}
MOST_NODES = {"MPI_Scatter": 1024, "MPI_Gather": 1024}

# Why a call is not played, and how the page says it.
REASONS = {
    "one_node": "within one node, nobody talks to others",
    "one_rank_each": "on nodes of one rank each, there is nobody else to lead",
    "no_bytes": "without bytes",
    "same": "the two policies take the same time: all ranks wait for the last one, whoever sends, or the same rank of a "
            "node talks under both",
    "passed_on": "of a size that the runtime leaves to the MPI library",
    "not_modelled": "blocks may differ in size from rank to rank, which the model does not know",
}


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


def parts_by_node(call, node_of):
    nodes = {}
    for part in call.parts:
        nodes.setdefault(node_of[part.record.rank], []).append(part)
    return list(nodes.values())


def has_same_leaders(call, nodes, leader):
    """Whether a node's part goes at the same moment under both policies, whoever sends it."""
    operation = calls_of.blocking_name(call.operation)
    if operation in SAME_ALWAYS:
        return True
    if len(nodes) > FEW_NODES and operation in EXCHANGES | {"MPI_Reduce"}:
        return True
    # Homes talked, because an algorithm was set. An alltoall's record has an algorithm in any case.
    ran_a_plan = call.hybrid and leader == "competitive" and call.algorithm not in ("", "direct")
    return operation == "MPI_Allgather" and ran_a_plan


def why_not(call, nodes, leader):
    """Why the call is not played; nothing where it is."""
    operation = calls_of.blocking_name(call.operation)
    if len(nodes) == 1:
        return "one_node"
    if all(len(members) == 1 for members in nodes):
        return "one_rank_each"
    if has_same_leaders(call, nodes, leader):
        return "same"
    if operation not in PLAYED:
        return "not_modelled"
    if call.bytes == 0:
        return "no_bytes"
    if len(nodes) > MOST_NODES.get(operation, len(nodes)):
        return "passed_on"
    if not call.hybrid and call.bytes > LEFT_TO_MPI.get(operation, call.bytes):
        return "passed_on"
    return None


def question(call, nodes):
    parts = [part for members in nodes for part in members]
    asked = {"operation": calls_of.blocking_name(call.operation), "node_ranks": [len(members) for members in nodes],
             "bytes": call.bytes, "algorithm": call.algorithm or "auto",
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
        raise ModelError(f"--model: {done.stderr.strip().removeprefix('replay: ')}")
    return json.loads(done.stdout)


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
    left_out, chosen, questions = [], [], []
    for call in calls:
        nodes = parts_by_node(call, node_of)
        reason = why_not(call, nodes, leader)
        if reason:
            left_out.append(((call.operation, reason), call))
            continue
        chosen.append((call, nodes))
        questions.append(question(call, nodes))
    answer = ask(replay, machine, questions)
    members = [(call, excesses(call, nodes, played)) for (call, nodes), played in zip(chosen, answer["calls"])]
    groups = gather((call.key, member) for call, member in members)
    rows = [{"operation": key[0], "bytes": key[1], "ranks": key[2], **sums(of_key),
             "algorithms": sorted(set().union(*(member["algorithms"] for member in of_key)))}
            for key, of_key in groups.items()]
    operations = gather((call.operation, member) for call, member in members)
    return {"machine": answer["machine"], "candidates": answer["candidates"], "calls": len(chosen),
            **{f"{name}_s": round(sum(row[f"{name}_s"] for row in rows), 6) for name in COLUMNS},
            "operations": [{"operation": name, **sums(of_operation)} for name, of_operation in operations.items()],
            "groups": rows,
            "left_out": [{"operation": operation, "reason": reason, "calls": len(of_key)}
                         for (operation, reason), of_key in gather(left_out).items()]}
