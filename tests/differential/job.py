"""Runs a case and says how it ended. A job that no longer comes forward is a hang, however long a slow one takes."""

import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import files

# Of the folder that a test sees, not of the sources.
MPIEXEC = str(pathlib.Path(sys.argv[0]).absolute().parent.parent / "mpiexec.sh")

# Where no rank comes forward for so long the job hangs; longer where others load the machine.
PATIENCE_S = 25
SHORT_PATIENCE_S = 8  # of a case that is known to hang
USUAL_LOAD = 10
LOOK_S = 1
STACK_LINES = 14


@dataclasses.dataclass
class Outcome:
    kind: str  # passed, failed, hung
    output: str
    calls: int = 0
    step: int = None  # the last one that any rank came to, where it failed

    @property
    def passed(self):
        return self.kind == "passed"


class Runner:
    def __init__(self, mpi, runtime, program):
        self.mpi, self.runtime, self.program = mpi, runtime, program

    def command(self, case, seconds=0, folder=None):
        """`folder`: for the files that settings name; without it a command to show."""
        settings = {name: files.written(value, folder) if folder else value
                    for name, value in case.settings.items() if value}
        command = [MPIEXEC, self.mpi, "-n", str(case.ranks), "-genv", "LD_PRELOAD", self.runtime]
        for name, value in sorted(settings.items()):
            command += ["-genv", name, value]
        return command + [self.program, *case.arguments(seconds)]

    def run(self, case, seconds=0, patience_s=PATIENCE_S):
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(self.command(case, seconds, folder), stdout=output, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                hang = self._watch(process, output, patience_s, seconds)
            finally:
                _stop(process)
            output.seek(0)
            text = output.read()
        return _outcome(process.returncode, text, hang)

    def _watch(self, process, output, patience_s, seconds):
        """Waits for the end; where the ranks stand still, their stacks."""
        before, since = None, time.monotonic()
        first_look = since + seconds + patience_s / 4
        while True:
            try:
                process.wait(LOOK_S)
                return None
            except subprocess.TimeoutExpired:
                if time.monotonic() < first_look:
                    continue
            places = self._places(process, output)
            if places != before:
                before, since = places, time.monotonic()
            elif time.monotonic() - since > patience_s * max(1, os.getloadavg()[0] / USUAL_LOAD):
                return "\n".join(sorted(places)) + "\n" + self._stacks(process)

    def _ranks(self, process):
        return [pid for pid in _descendants(process.pid) if _executable(pid) == os.path.realpath(self.program)]

    def _places(self, process, output):
        """What each rank says that it does; nothing before and after its program."""
        start = os.fstat(output.fileno()).st_size
        for pid in self._ranks(process):
            if _catches(pid, signal.SIGUSR1):
                _signal(pid, signal.SIGUSR1)
        time.sleep(0.5)
        with open(f"/proc/self/fd/{output.fileno()}", encoding="utf-8", errors="replace") as again:
            again.seek(start)
            return set(line.strip() for line in again if " is at " in line)

    def _stacks(self, process):
        text = ""
        for pid in self._ranks(process):
            stack = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", f"thread apply all bt {STACK_LINES}"],
                                   capture_output=True, text=True, timeout=300, check=False).stdout
            lines = [line for line in stack.splitlines() if line.startswith(("#", "Thread"))]
            text += f"--- process {pid}\n" + "\n".join(lines) + "\n"
        return text


def _outcome(returncode, text, hang):
    steps = [int(step) for step in re.findall(r"(?: at |completion.*?)step (\d+):", text)]
    last = max((step for step in steps if step < 1 << 30), default=None)
    if hang is not None:
        text = "\n".join(line for line in text.splitlines() if " is at step " not in line)
        return Outcome("hung", text + "\n" + hang, step=last)
    calls = re.search(r"(\d+) collective calls checked", text)
    if returncode == 0 and calls and "unexpected tag-receive descriptor" not in text:
        return Outcome("passed", text, int(calls[1]))
    return Outcome("failed", text, step=last)


def _signal(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def _catches(pid, number):
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as status:
            masks = [line.split()[1] for line in status if line.startswith("SigCgt:")]
    except OSError:
        return False
    return bool(masks) and bool(int(masks[0], 16) >> (number - 1) & 1)


def _executable(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return None


def _descendants(root):
    """Processes below `root`, whatever sessions they are in."""
    children = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                parent = int(stat.read().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(name))
    found, wanted = [], [root]
    while wanted:
        below = children.get(wanted.pop(), [])
        found += below
        wanted += below
    return found


def _stop(process):
    """Ends the launcher and all ranks."""
    ranks = _descendants(process.pid)
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for pid in ranks:
        _signal(pid, signal.SIGKILL)
