"""What the report's tests share: the tool's folder from the command line, a scratch folder."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOOL = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(TOOL.parent))


class ReportTestCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"), ignore_cleanup_errors=True)
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
