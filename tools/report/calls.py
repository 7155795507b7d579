"""From ranks' records to calls: one clock, ranks of a call together, where its time went."""

import dataclasses
import math

# As traces name nonblocking and persistent calls.
BLOCKING = {"MPI_Ibarrier": "MPI_Barrier", "MPI_Ibcast": "MPI_Bcast", "MPI_Ireduce": "MPI_Reduce",
            "MPI_Iallreduce": "MPI_Allreduce", "MPI_Ireduce_scatter": "MPI_Reduce_scatter",
            "MPI_Ireduce_scatter_block": "MPI_Reduce_scatter_block",
            "MPI_Iallgather": "MPI_Allgather", "MPI_Iallgatherv": "MPI_Allgatherv",
            "MPI_Igather": "MPI_Gather", "MPI_Iscatter": "MPI_Scatter",
            "MPI_Ialltoall": "MPI_Alltoall"}
FROM_ROOT = {"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"}
TO_ROOT = {"MPI_Gather", "MPI_Gatherv", "MPI_Reduce"}
# The quantile of the excess that counts as what a call costs at best.
BEST_QUANTILE = 0.1


def offset_at(section, local_ns):
    """What to add to a rank's clock at `local_ns` to get rank 0's: between the readings of start and end a
    straight line, which stands for the drift; before them and after them it goes on."""
    if section.clock_is_rank0:
        return 0
    start, end = section.start, section.end
    if not section.closed or end.local_ns <= start.local_ns:
        return start.offset_ns
    grown = (end.offset_ns - start.offset_ns) * (local_ns - start.local_ns)
    return start.offset_ns + round(grown / (end.local_ns - start.local_ns))


def drift_ppm(section):
    """How much faster rank 0's clock goes, in millionths."""
    span = section.end.local_ns - section.start.local_ns
    if section.clock_is_rank0 or not section.closed or span <= 0:
        return 0.0
    return (section.end.offset_ns - section.start.offset_ns) / span * 1e6


def align(trace):
    """Puts all records on rank 0's clock, 0 at the earliest start. Returns how long the trace is, in ns."""
    begin = min(s.start.local_ns + offset_at(s, s.start.local_ns) for s in trace.sections)
    end = 0
    for section in trace.sections:
        for record in section.records:
            for name in ("arrival", "led", "first_byte", "last_byte", "exit"):
                local = getattr(record, name)
                if local:
                    setattr(record, name, local + offset_at(section, local) - begin)
            end = max(end, record.exit)
    return end


@dataclasses.dataclass(slots=True)
class Part:
    """A rank's time in a call, ns: wait + late + transfer = exit - arrival."""

    record: object
    wait: int = 0
    overlap: int = 0  # of the excess, until the last arrival
    late: int = 0
    transfer: int = 0

    @property
    def excess(self):
        return self.record.exit - self.record.arrival - self.wait


@dataclasses.dataclass(slots=True)
class Call:
    parts: list  # by rank in the communicator
    first: int
    last: int

    @property
    def record(self):
        return self.parts[0].record

    @property
    def operation(self):
        return self.record.operation

    @property
    def bytes(self):
        return max(part.record.bytes for part in self.parts)

    @property
    def spread(self):
        return self.last - self.first

    @property
    def key(self):
        return (self.operation, self.bytes, len(self.parts))

    @property
    def hybrid(self):
        return self.record.hybrid

    @property
    def algorithm(self):
        return next((part.record.algorithm for part in self.parts if part.record.algorithm), "")


def blocking_name(operation):
    """Of the same operation."""
    return BLOCKING.get(operation, operation)


def needed_arrival(call, part):
    """When all had arrived whom this rank cannot do without."""
    record = part.record
    operation = blocking_name(call.operation)
    if operation in FROM_ROOT:
        return call.parts[record.root].record.arrival
    if operation in TO_ROOT and record.comm_rank != record.root:
        return record.arrival
    return call.last


def split(call):
    for part in call.parts:
        record = part.record
        begin = min(max(record.arrival, needed_arrival(call, part)), record.exit)
        part.wait = begin - record.arrival
        part.overlap = max(0, min(record.exit, call.last) - begin)


def quantile(values, share):
    """The smallest of the values that at least this share of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def is_root(part):
    return part.record.comm_rank == part.record.root


def attribute(calls):
    """What of the excess is late others' and what the transfer's own."""
    excesses = {}
    for call in calls:
        for part in call.parts:
            excesses.setdefault((call.key, is_root(part)), []).append(part.excess)
    best = {key: quantile(values, BEST_QUANTILE) for key, values in excesses.items()}
    for call in calls:
        for part in call.parts:
            part.late = max(0, part.overlap - best[call.key, is_root(part)])
            part.transfer = part.excess - part.late


def is_one_call(records):
    """Whether ranks agree on what they call, and its root is one of them: programs may be wrong."""
    first = records[0]
    if len({(record.operation, record.root) for record in records}) != 1:
        return False
    lowest_root = 0 if blocking_name(first.operation) in FROM_ROOT | TO_ROOT else -1
    return lowest_root <= first.root < len(records)


def is_complete(records):
    """Whether the records, by rank, are one of each rank; damaged ones may speak of any number of ranks."""
    if len(records) != records[0].comm_ranks:
        return False
    return all(record.comm_rank == rank for rank, record in enumerate(records))


def match(trace):
    """Calls that all their ranks have recorded, in order of their first arrival, and how many others there are."""
    together = {}
    for section in trace.sections:
        for record in section.records:
            together.setdefault((record.communicator, record.sequence), []).append(record)
    calls = []
    for records in together.values():
        records.sort(key=lambda record: record.comm_rank)
        if not is_complete(records):
            continue
        if not is_one_call(records):
            continue
        arrivals = [record.arrival for record in records]
        calls.append(Call([Part(record) for record in records], min(arrivals), max(arrivals)))
    calls.sort(key=lambda call: call.first)
    for call in calls:
        split(call)
    attribute(calls)
    return calls, len(together) - len(calls)
