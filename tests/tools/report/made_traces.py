"""Traces whose figures can be worked out by hand. Times are microseconds."""

import pathlib
import struct

HEADER = struct.Struct("<8s8I4Q3q3qq64s16s64s32s3I196x")
RECORD = struct.Struct("<5q3QiIIBBH24s24s")
CALL_SITE = struct.Struct("<QQq384s104s")
START_NS = 1_000_000


def ns(us):
    return round(us * 1000)


def moment(us):
    return 0 if us is None else START_NS + ns(us)


def record(arrival, exit_, *, operation="MPI_Bcast", bytes_=1024, root=0, rank=0, ranks=2, sequence=0, communicator=0,
           led=None, first=None, last=None, hybrid=False, algorithm="", whole=True, site=0):
    return RECORD.pack(moment(arrival), moment(led), moment(first), moment(last), moment(exit_), bytes_, communicator,
                       sequence, root, ranks, rank, int(hybrid), 0xA5 if whole else 0, site, operation.encode(),
                       algorithm.encode())


def call_site(offset, module="/program", symbol="", size=0, time_ns=0):
    return CALL_SITE.pack(offset, size, time_ns, module.encode(), symbol.encode())


def header(rank, ranks, records, *, node=0, leader="competitive", closed=True, version=3, job=7, claimed=None,
           same_clock=True, start=(0, 0, 0), end=(0, 0, 0), sites=0):
    return HEADER.pack(b"MPIACTRC", version, 512, 128, int(closed), ranks, rank, node, int(same_clock), job,
                       records if claimed is None else claimed, 1 << 18, records if closed else 0,
                       START_NS + start[0], start[1], start[2], START_NS + end[0], end[1], end[2], 0, b"host",
                       leader.encode(), b"program", b"0.1.0", 512, sites, sites)


def section(rank, ranks, records, sites=(), **facts):
    """`sites`: made by call_site(); records name them by their number, from 1."""
    return header(rank, ranks, len(records), sites=len(sites), **facts) + b"".join(sites) + b"".join(records)


def write(folder, name, *sections):
    path = pathlib.Path(folder) / name
    path.write_bytes(b"".join(sections))
    return str(path)
