#!/usr/bin/env python3
"""Reading of traces, good and bad: TOOL"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import made_traces as made  # noqa: E402
from report_test_case import ReportTestCase  # noqa: E402
from trace_file import CallSite, TraceError, read_trace  # noqa: E402


def three(rank, ranks=2):
    return [made.record(10 * i, 10 * i + 5, rank=rank, ranks=ranks, sequence=i) for i in range(3)]


class ReadTest(ReportTestCase):
    def expect_error(self, path, text):
        with self.assertRaises((TraceError, OSError)) as caught:
            read_trace(path)
        self.assertEqual(str(caught.exception), text)

    def test_merged_file(self):
        path = made.write(self.folder, "t", made.section(0, 2, three(0)), made.section(1, 2, three(1), node=4))
        trace = read_trace(path)
        self.assertEqual([(s.rank, s.node, len(s.records)) for s in trace.sections], [(0, 0, 3), (1, 4, 3)])
        self.assertEqual(trace.notes, [])
        record = trace.sections[1].records[2]
        self.assertEqual((record.operation, record.bytes, record.sequence, record.comm_rank), ("MPI_Bcast", 1024, 2, 1))

    def test_wrapped_ring_is_put_in_order(self):
        records = three(0, 1)
        path = made.write(self.folder, "t", made.section(0, 1, records[1:] + records[:1], claimed=10))
        trace = read_trace(path)
        self.assertEqual([r.sequence for r in trace.sections[0].records], [0, 1, 2])
        self.assertEqual(trace.notes, ["rank 0: the oldest 7 calls were not kept"])

    def test_killed_job_is_read_to_the_last_whole_record(self):
        made.write(self.folder, "t.0", made.section(0, 2, three(0), closed=False, claimed=3), bytes(128 * 5))
        torn = made.record(90, 95, rank=1, sequence=3, whole=False)
        made.write(self.folder, "t.1", made.section(1, 2, three(1) + [torn], closed=False, claimed=3), b"half a record")
        trace = read_trace(str(self.folder / "t"))
        self.assertEqual([len(s.records) for s in trace.sections], [3, 3])
        self.assertEqual(trace.notes, ["the job did not end by itself: ranks [0, 1] are read up to their last whole record"])

    def test_record_counted_too_late_is_read(self):
        made.write(self.folder, "t.0", made.section(0, 1, three(0, 1), closed=False, claimed=2))
        self.assertEqual(len(read_trace(str(self.folder / "t")).sections[0].records), 3)

    def test_ranks_beyond_any_job_are_not_counted_one_by_one(self):
        path = made.write(self.folder, "t", made.section(0, (1 << 32) - 1, three(0)))
        size = 512 + 3 * 128
        self.expect_error(path, f"{path}: offset {size}: truncated: the sections of ranks "
                                f"[1, 2, 3, 4, 5, 6, 7, 8, ...] are not there")

    def test_missing_ranks_file_is_noted(self):
        made.write(self.folder, "t.1", made.section(1, 2, three(1), closed=False))
        self.assertIn("ranks [0] are not in this trace", read_trace(str(self.folder / "t")).notes[0])

    def test_files_of_an_earlier_larger_run_are_left_out(self):
        made.write(self.folder, "t.0", made.section(0, 1, three(0, 1), job=8))
        made.write(self.folder, "t.3", made.section(3, 4, three(3, 4), job=7))
        self.assertEqual([s.rank for s in read_trace(str(self.folder / "t")).sections], [0])

    def test_empty_file(self):
        path = made.write(self.folder, "t")
        self.expect_error(path, f"{path}: offset 0: the file is empty")

    def test_no_trace(self):
        path = made.write(self.folder, "t", b"vertices: 3\n" * 100)
        self.expect_error(path, f"{path}: offset 0: not a trace: expected b'MPIACTRC', found b'vertices'")

    def test_header_cut_off(self):
        path = made.write(self.folder, "t", made.section(0, 1, [])[:100])
        self.expect_error(path, f"{path}: offset 0: the header is cut off after 100 of 512 bytes")

    def test_truncated_in_a_record(self):
        whole = made.section(0, 2, three(0)) + made.section(1, 2, three(1))
        path = made.write(self.folder, "t", whole[:-130])
        self.expect_error(path, f"{path}: offset {len(whole) - 130}: truncated: rank 1's section has 1 of its 3 records")

    def test_truncated_between_ranks(self):
        path = made.write(self.folder, "t", made.section(0, 2, three(0)))
        self.expect_error(path, f"{path}: offset 896: truncated: the sections of ranks [1] are not there")

    def test_mixed_versions(self):
        for version in (1, 2, 4):
            other = made.section(1, 2, three(1), version=version)
            path = made.write(self.folder, "t", made.section(0, 2, three(0)), other)
            self.expect_error(path, f"{path}: offset 904: format version {version}; this tool reads version 3")

    def test_call_sites(self):
        sites = [made.call_site(0x1234, "/a/program", "solve", 99, 5), made.call_site(7, "/lib.so")]
        records = [made.record(0, 1, ranks=1, sequence=i, site=i) for i in range(4)]
        record = read_trace(made.write(self.folder, "t", made.section(0, 1, records, sites))).sections[0].records
        self.assertIsNone(record[0].call_site)
        self.assertEqual(record[1].call_site, CallSite("/a/program", 0x1234, "solve", 99, 5))
        self.assertEqual(record[2].call_site.module, "/lib.so")
        self.assertIsNone(record[3].call_site)

    def test_call_sites_of_a_killed_rank(self):
        # Its file keeps all its places for call sites.
        data = bytearray(made.section(0, 1, three(0, 1), [made.call_site(5)] + [bytes(512)] * 3, closed=False, claimed=3))
        data[304:316] = (512).to_bytes(4, "little") + (4).to_bytes(4, "little") + (1).to_bytes(4, "little")
        made.write(self.folder, "t.0", bytes(data))
        self.assertEqual(len(read_trace(str(self.folder / "t")).sections[0].records), 3)

    def test_damaged_call_sites(self):
        data = bytearray(made.section(0, 1, three(0, 1), [made.call_site(5)]))
        data[312:316] = (2).to_bytes(4, "little")
        path = made.write(self.folder, "t", bytes(data))
        self.expect_error(path, f"{path}: offset 304: 2 call sites of 512 bytes in 1 places; one has to have 512 bytes")
        path = made.write(self.folder, "t", bytes(made.section(0, 1, [], [made.call_site(5)]))[:600])
        self.expect_error(path, f"{path}: offset 600: truncated: 512 bytes of call sites are not there")

    def test_mixed_runs(self):
        path = made.write(self.folder, "t", made.section(0, 2, three(0)), made.section(1, 2, three(1), job=9))
        self.expect_error(path, f"{path}: offset 896: rank 1 is of another run than rank 0 in {path}")

    def test_damaged_record(self):
        torn = made.record(90, 95, sequence=3, whole=False)
        path = made.write(self.folder, "t", made.section(0, 1, three(0, 1) + [torn]))
        self.expect_error(path, f"{path}: offset 896: damaged: this is no whole record")

    def test_missing_file(self):
        path = self.folder / "t"
        self.expect_error(path, f"{path}: there is no such file, nor ranks' files {path}.0, {path}.1, ...")


if __name__ == "__main__":
    unittest.main()
