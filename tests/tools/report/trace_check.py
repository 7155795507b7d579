#!/usr/bin/env python3
"""What the tool may do with the bytes of a trace: read it and show all of it, or refuse it by TraceError. FILE..."""

import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools" / "report"))

import exports  # noqa: E402  (of the tool)
import figures  # noqa: E402
import page  # noqa: E402
from trace_file import TraceError, read_trace  # noqa: E402


def check(path):
    """Whether the trace was taken. Raises whatever else goes wrong, which is a finding."""
    try:
        trace = read_trace(path)
    except TraceError as error:
        if str(path) not in str(error):
            raise AssertionError(f"the error does not name the file: {error}") from error
        return False
    report, calls = figures.report([trace])
    page.render(report)
    exports.write_csv(io.StringIO(), report, [trace], calls)
    exports.write_perfetto(io.StringIO(), report, [trace], calls)
    return True


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("trace_check.py: wants FILE...")
    for file in sys.argv[1:]:
        print(f"{file}: {'taken' if check(file) else 'refused'}")
