#!/usr/bin/env python3
"""Damaged traces: whatever bytes change, the tool takes the file or says what is wrong with it. TOOL [SECONDS]"""

import pathlib
import random
import resource
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import made_traces as made  # noqa: E402
from report_test_case import ReportTestCase  # noqa: E402

SECONDS = float(sys.argv.pop(1)) if len(sys.argv) > 1 else 3.0

import trace_check  # noqa: E402

# A file of a few kilobytes that wants this much is a finding, not the end of the machine.
MOST_BYTES = 2 << 30
# Numbers at the edges of the fields.
EDGES = [0, 1, 2, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


def damaged(data, chance):
    """A few bytes or numbers changed, a part cut out, moved or repeated."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data)) if data else 0
        length = chance.choice([1, 2, 4, 8, 128, 512])
        what = chance.randrange(6)
        if what == 0 and data:
            data[at] = chance.randrange(256)
        elif what == 1:
            at -= at % 4
            bytes_ = chance.choice([2, 4, 8])
            data[at : at + bytes_] = (chance.choice(EDGES) % (1 << (8 * bytes_))).to_bytes(bytes_, "little")
        elif what == 2:
            del data[at : at + length]
        elif what == 3:
            data[at:at] = data[at : at + length]
        elif what == 4:
            del data[at:]
        else:
            data[at:at] = chance.randbytes(length)
    return bytes(data)


class MutationTest(ReportTestCase):
    def seeds(self):
        def three(rank):
            return [made.record(10 * i, 10 * i + 5, rank=rank, ranks=2, sequence=i) for i in range(3)]

        yield made.section(0, 2, three(0)) + made.section(1, 2, three(1), node=4)
        yield made.section(0, 1, three(0), closed=False, claimed=3) + bytes(128 * 5)
        yield made.section(0, 1, three(0), claimed=10)

    def test_damaged_traces_are_read_or_refused(self):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        seeds = list(self.seeds())
        path = self.folder / "t"
        taken = refused = 0
        end = time.monotonic() + SECONDS
        # On a busy machine it takes longer to see enough of both.
        while time.monotonic() < end or (min(taken, refused) <= 20 and time.monotonic() < end + 60):
            path.write_bytes(damaged(chance.choice(seeds), chance))
            with self.subTest(seed=seed, number=taken + refused, bytes=path.read_bytes().hex()):
                if trace_check.check(path):
                    taken += 1
                else:
                    refused += 1
        self.assertGreater(taken, 20)
        self.assertGreater(refused, 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
