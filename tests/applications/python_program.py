"""Heat in a rod and a power iteration, by MPI from Python. Prints what they come to."""

import ctypes
import sys

mpi = ctypes.CDLL(sys.argv[1])  # RTLD_LOCAL
mpi.begin()
RANK, RANKS = mpi.rank(), mpi.ranks()


def numbers(values):
    values = list(values)
    return (ctypes.c_double * len(values))(*values)


def power_iteration(size):
    """The largest eigenvalue of the matrix 1 / (i + j + 1), rows dealt out to the ranks."""
    mine = range(RANK * size, (RANK + 1) * size)
    vector, value = [1.0] * (size * RANKS), 0.0
    for _ in range(30):
        part = numbers(sum(x / (i + j + 1) for j, x in enumerate(vector)) for i in mine)
        whole = numbers([0.0] * (size * RANKS))
        mpi.allgather(part, whole, size)
        value = max(whole)
        vector = [x / value for x in whole]
    return value


def transposed_sum(size):
    """The sum over a matrix whose blocks all ranks swap, weighted by place."""
    mine = numbers(RANK * 1000 + i for i in range(size * RANKS))
    blocks = numbers([0.0] * (size * RANKS))
    mpi.alltoall(mine, blocks, size)
    here = numbers([sum(i * x for i, x in enumerate(blocks, start=1))])
    total = numbers([0.0])
    mpi.reduce(here, total, 1, RANKS - 1)
    mpi.bcast(total, 1, RANKS - 1)
    return total[0]


def heat(size, steps):
    """What is left of the heat of a rod whose ends are cold; neighbours' ends by an allreduce."""
    rod = [1.0] * size
    for _ in range(steps):
        ends = numbers([0.0] * (2 * RANKS))
        ends[2 * RANK], ends[2 * RANK + 1] = rod[0], rod[-1]
        all_ends = numbers([0.0] * (2 * RANKS))
        mpi.allreduce(ends, all_ends, 2 * RANKS)
        left = all_ends[2 * RANK - 1] if RANK > 0 else 0.0
        right = all_ends[2 * RANK + 2] if RANK + 1 < RANKS else 0.0
        wide = [left, *rod, right]
        rod = [wide[i] + 0.25 * (wide[i - 1] - 2 * wide[i] + wide[i + 1]) for i in range(1, size + 1)]
        mpi.barrier()
    total = numbers([0.0])
    mpi.allreduce(numbers([sum(rod)]), total, 1)
    return total[0]


RESULTS = [power_iteration(20), transposed_sum(50), heat(40, 60)]
if RANK == 0:
    print(f"ranks {RANKS} eigenvalue {RESULTS[0]:.9f} blocks {RESULTS[1]:.1f} heat {RESULTS[2]:.9f}")
mpi.end()
