"""What a trace (MPIACTOR_TRACE) says of an application's broadcasts: excess, and when ranks arrived."""

import bisect
import sys

from job_runner import ROOT

sys.path.insert(0, str(ROOT / "tools" / "report"))

import calls as calls_of  # noqa: E402  (of mpiactor-report)
from trace_file import TraceError, read_trace  # noqa: E402,F401  (TraceError: for callers)

# Of arrivals after the first one of their call; the last bin has no end.
EDGES_US = [0.0] + [step * 10.0**power for power in range(7) for step in (1, 2, 5)]


def broadcasts_of(path):
    """The broadcasts behind the last barrier, with which both applications begin what they time."""
    trace = read_trace(path)
    calls_of.align(trace)
    calls, _ = calls_of.match(trace)
    begin = max((call.last for call in calls if call.operation == "MPI_Barrier"), default=0)
    return [call for call in calls if call.operation == "MPI_Bcast" and call.first >= begin]


def figures_of(path):
    """{"excess_s": of a rank, mean over ranks; "excess_mean_us": of a call of a rank that is not the root,
    "arrivals": how many arrivals each bin holds}."""
    calls = broadcasts_of(path)
    others, everybody, ranks = [], 0, 1
    arrivals = [0] * len(EDGES_US)
    for call in calls:
        ranks = len(call.parts)
        for part in call.parts:
            everybody += part.excess
            if not calls_of.is_root(part):
                others.append(part.excess)
            after_us = (part.record.arrival - call.first) / 1e3
            arrivals[bisect.bisect_right(EDGES_US, after_us) - 1] += 1
    return {"excess_s": everybody / ranks / 1e9, "excess_mean_us": sum(others) / max(1, len(others)) / 1e3,
            "arrivals": arrivals}


def add_up(histograms):
    """Shares of all arrivals, by bin."""
    sums = [sum(column) for column in zip(*histograms)]
    total = sum(sums)
    return [count / total if total else 0.0 for count in sums]


def share_from_to(shares, low_us, high_us):
    """Of arrivals in [low_us, high_us), both edges of bins; high_us None: no end."""
    return sum(share for edge, share in zip(EDGES_US, shares)
               if edge >= low_us and (high_us is None or edge < high_us))
