"""Reads trace files; docs/tracing.md describes them."""

import dataclasses
import itertools
import pathlib
import re
import struct

MAGIC = b"MPIACTRC"
VERSION = 3
HEADER = struct.Struct("<8s8I4Q3q3qq64s16s64s32s3I196x")
RECORD = struct.Struct("<5q3QiIIBBH24s24s")
MOST_NAMED = 8  # missing ranks in a message
WHOLE = 0xA5  # after the path, once the record is
CALL_SITE = struct.Struct("<QQq384s104s")
assert HEADER.size == 512 and RECORD.size == 128 and CALL_SITE.size == 512


class TraceError(Exception):
    """Names the file, the offset and what is wrong there."""

    def __init__(self, path, offset, text):
        super().__init__(f"{path}: offset {offset}: {text}")


@dataclasses.dataclass(frozen=True)
class ClockReading:
    """rank 0's clock = local_ns + offset_ns, give or take uncertainty_ns."""

    local_ns: int
    offset_ns: int
    uncertainty_ns: int


@dataclasses.dataclass(frozen=True, slots=True)
class CallSite:
    """Where a program calls a collective: the return address in a module, and what its file was like then."""

    module: str
    offset: int
    symbol: str
    module_bytes: int
    module_time_ns: int


@dataclasses.dataclass(slots=True)
class Record:
    """One call of one rank. Times in ns of rank 0's clock once aligned; 0: did not happen."""

    arrival: int
    led: int
    first_byte: int
    last_byte: int
    exit: int
    bytes: int
    communicator: int
    sequence: int
    root: int
    comm_ranks: int
    comm_rank: int
    hybrid: bool
    operation: str
    algorithm: str
    rank: int  # in the job
    call_site: CallSite = None  # None: unknown


@dataclasses.dataclass(slots=True)
class Section:
    """What one rank recorded."""

    path: str
    offset: int
    ranks: int
    rank: int
    node: int
    host: str
    leader: str
    program: str
    version: str
    job: int
    closed: bool
    claimed: int
    clock_is_rank0: bool
    start: ClockReading
    end: ClockReading
    records: list


@dataclasses.dataclass
class Trace:
    path: str
    sections: list  # by rank
    notes: list  # what the reader of a report should know


def text(raw):
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")


def read_header(path, data, offset):
    left = len(data) - offset
    if data[offset : offset + 8] != MAGIC[: min(8, left)]:
        found = data[offset : offset + 8]
        raise TraceError(path, offset, f"not a trace: expected {MAGIC!r}, found {bytes(found)!r}")
    if left < 16:
        raise TraceError(path, offset, f"the header is cut off after {left} of {HEADER.size} bytes")
    version, header_bytes = struct.unpack_from("<2I", data, offset + 8)
    if version != VERSION:
        raise TraceError(path, offset + 8, f"format version {version}; this tool reads version {VERSION}")
    if left < HEADER.size:
        raise TraceError(path, offset, f"the header is cut off after {left} of {HEADER.size} bytes")
    fields = HEADER.unpack_from(data, offset)
    if header_bytes != HEADER.size or fields[3] != RECORD.size:
        raise TraceError(
            path, offset + 12,
            f"header of {header_bytes} bytes and records of {fields[3]}; "
            f"there have to be {HEADER.size} and {RECORD.size}")
    (_, _, _, _, state, ranks, rank, node, is_rank0, job, claimed, capacity, records) = fields[:13]
    if state not in (0, 1):
        raise TraceError(path, offset + 20, f"state {state}; allowed: 0 (open), 1 (closed)")
    if ranks < 1 or rank >= ranks:
        raise TraceError(path, offset + 24, f"rank {rank} of {ranks}")
    section = Section(
        path=str(path), offset=offset, ranks=ranks, rank=rank, node=node, host=text(fields[20]),
        leader=text(fields[21]), program=text(fields[22]), version=text(fields[23]), job=job,
        closed=state == 1, claimed=claimed, clock_is_rank0=is_rank0 == 1,
        start=ClockReading(*fields[13:16]), end=ClockReading(*fields[16:19]), records=[])
    return section, capacity, records, read_call_sites(path, data, offset, fields[24:27])


def read_call_sites(path, data, offset, facts):
    """(the section's call sites, bytes that they take up in the file)."""
    site_bytes, room, count = facts
    if site_bytes != CALL_SITE.size or count > room:
        raise TraceError(path, offset + 304, f"{count} call sites of {site_bytes} bytes in {room} places; "
                                             f"one has to have {CALL_SITE.size} bytes")
    begin = offset + HEADER.size
    if len(data) < begin + room * site_bytes:
        raise TraceError(path, len(data), f"truncated: {room * site_bytes} bytes of call sites are not there")
    sites = []
    for number in range(count):
        at, module_bytes, time_ns, module, symbol = CALL_SITE.unpack_from(data, begin + number * site_bytes)
        sites.append(CallSite(text(module), at, text(symbol), module_bytes, time_ns))
    return sites, room * site_bytes


def to_record(fields, rank, call_sites):
    (arrival, led, first_byte, last_byte, exit_, bytes_, communicator, sequence, root, comm_ranks, comm_rank,
     path, _, site, operation, algorithm) = fields
    return Record(arrival, led, first_byte, last_byte, exit_, bytes_, communicator, sequence, root, comm_ranks,
                  comm_rank, path == 1, text(operation), text(algorithm), rank,
                  call_sites[site - 1] if 0 < site <= len(call_sites) else None)


def read_section(path, data, offset):
    """The section at `offset` and where the next one begins."""
    section, capacity, count, (call_sites, bytes_of_sites) = read_header(path, data, offset)
    begin = offset + HEADER.size + bytes_of_sites
    room = (len(data) - begin) // RECORD.size
    if section.closed:
        if room < count:
            raise TraceError(
                path, len(data),
                f"truncated: rank {section.rank}'s section has {room} of its {count} records")
        slots = count
    else:  # the rank was killed: what it had written by then, up to the last whole record
        slots = min(room, capacity, section.claimed + 1)
    for slot in range(slots):
        fields = RECORD.unpack_from(data, begin + slot * RECORD.size)
        if fields[12] == WHOLE:
            section.records.append(to_record(fields, section.rank, call_sites))
        elif section.closed:
            raise TraceError(path, begin + slot * RECORD.size, "damaged: this is no whole record")
    section.records.sort(key=lambda record: record.arrival)
    return section, begin + slots * RECORD.size if section.closed else len(data)


def read_sections(path, merged):
    """All sections of a merged file; the one of a rank's file."""
    data = memoryview(pathlib.Path(path).read_bytes())
    if not data:
        raise TraceError(path, 0, "the file is empty")
    sections = []
    offset = 0
    while offset < len(data) and (merged or not sections):
        section, offset = read_section(path, data, offset)
        sections.append(section)
    return sections


def files_of(path):
    """`path`, or, where the job did not come to merge them, the ranks' files path.RANK."""
    path = pathlib.Path(path)
    if path.is_file():
        return [path]
    name = re.compile(re.escape(path.name) + r"\.(\d+)")
    found = [(int(match[1]), file) for file in path.parent.glob("*") if (match := name.fullmatch(file.name))]
    if not found:
        raise FileNotFoundError(f"{path}: there is no such file, nor ranks' files {path}.0, {path}.1, ...")
    return [file for _, file in sorted(found)]


def check_same_run(sections):
    first = sections[0]
    seen = {}
    for section in sections:
        if section.job != first.job:
            raise TraceError(section.path, section.offset,
                             f"rank {section.rank} is of another run than rank {first.rank} in {first.path}")
        if section.rank in seen:
            raise TraceError(section.path, section.offset, f"rank {section.rank} is there twice")
        seen[section.rank] = section


def drop_older_runs(sections):
    """A run with fewer ranks leaves an earlier one's further files beside its own."""
    job = next((section.job for section in sections if section.rank == 0), sections[0].job)
    size = next(section.ranks for section in sections if section.job == job)
    return [section for section in sections if section.job == job or section.rank < size]


def read_trace(path):
    files = files_of(path)
    merged = pathlib.Path(path).is_file()
    sections = [section for file in files for section in read_sections(file, merged)]
    if not merged:
        sections = drop_older_runs(sections)
    check_same_run(sections)
    sections.sort(key=lambda section: section.rank)
    missing = missing_ranks(sections)
    if missing and merged and not is_rank_file(path, sections):
        raise TraceError(path, pathlib.Path(path).stat().st_size,
                         f"truncated: the sections of ranks {named(missing)} are not there")
    return Trace(str(path), sections, notes_on(sections, missing))


def missing_ranks(sections):
    """The first of them, one more than are named: a damaged header may ask for any number."""
    there = {section.rank for section in sections}
    return list(itertools.islice((rank for rank in range(sections[0].ranks) if rank not in there), MOST_NAMED + 1))


def named(ranks):
    return f"[{', '.join(map(str, ranks[:MOST_NAMED]))}{', ...' if len(ranks) > MOST_NAMED else ''}]"


def is_rank_file(path, sections):
    return len(sections) == 1 and pathlib.Path(path).name.endswith(f".{sections[0].rank}")


def notes_on(sections, missing):
    notes = []
    if missing:
        notes.append(f"ranks {named(missing)} are not in this trace: calls in which they take part are left out")
    cut = [section.rank for section in sections if not section.closed]
    if cut:
        notes.append(f"the job did not end by itself: ranks {cut} are read up to their last whole record")
    for section in sections:
        lost = section.claimed - len(section.records)
        if lost > 0:
            notes.append(f"rank {section.rank}: the oldest {lost} calls were not kept")
    return notes
