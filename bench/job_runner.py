"""What the benchmarks' scripts share: jobs, launchers, Open MPI, sizes."""

import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


class JobError(Exception):
    """What the user can act on; printed without a traceback."""


@dataclasses.dataclass
class Job:
    """One command that yields figures of one or more contenders."""

    name: str
    command: list  # --json FILE is appended


def stop(process):
    """Ends a job and everything it started; launchers clean up on SIGTERM."""
    for signal_number, patience_s in ((signal.SIGTERM, 15), (signal.SIGKILL, 15)):
        try:
            os.killpg(process.pid, signal_number)
            process.wait(patience_s)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def check_outputs(options, *names):
    """Before the measurement, so that a path that cannot be written does not cost its result."""
    for name in names:
        path = getattr(options, name)
        if not path:
            continue
        written = path if os.path.exists(path) else os.path.dirname(os.path.abspath(path))
        if os.path.isdir(path) or not os.access(written, os.W_OK):
            raise JobError(f"--{name}: cannot write {path}; give a file in a folder that exists")


@functools.cache
def say_once(line):
    print(line, file=sys.stderr)


def pass_on(output):
    """What the launcher says of the job, as that there are no virtual hosts."""
    output.seek(0)
    for line in output:
        if line.startswith("mpiactor-run: "):
            say_once(line.rstrip("\n"))


def run_job(job, timeout_s, folder):
    """The JSON that one run wrote; raises JobError naming the job if it fails."""
    results = folder / "results.json"
    results.unlink(missing_ok=True)
    command = job.command + ["--json", str(results)]
    with open(folder / "output", "w+", encoding="utf-8", errors="replace") as output:
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            raise JobError(f"run '{job.name}': cannot start {command[0]}: {error.strerror}") from error
        problem = None
        try:
            if process.wait(timeout_s) != 0:
                problem = f"ended with code {process.returncode}"
        except subprocess.TimeoutExpired:
            problem = f"not done after {timeout_s:g} s"
        finally:
            stop(process)
        if problem is None and not results.exists():
            problem = "wrote no results"
        if problem is not None:
            output.seek(0)
            tail = "".join(output.readlines()[-20:])
            raise JobError(f"run '{job.name}' failed: {problem}\n  {shlex.join(command)}\n{tail}")
        pass_on(output)
    return json.loads(results.read_text(encoding="utf-8"))


def launcher_command(options, program, leader, polite, settings):
    """How the launcher starts `program` on the layout of `options`, with settings of the runtime."""
    command = [str(options.launcher), "-n", str(options.ranks), "--leader", leader, "--polite", polite]
    if options.ppn:
        command += ["--ppn", str(options.ppn)]
    if options.virtual_hosts:
        command += ["--virtual-hosts", str(options.virtual_hosts)]
    if options.nodes:
        command += ["--nodes", options.nodes]
    command += ["--runtime", str(options.runtime)]
    if options.bind:
        command += ["-bind-to", "core"]
    for name, value in settings.items():
        command += ["-genv", name, value]
    return command + ["--", str(program)]


def parse_variant(text, taken, parser):
    """(name, {variable: value}) of NAME:VAR=VALUE[;VAR=VALUE]; `taken` are the names of other contenders."""
    name, colon, rest = text.partition(":")
    settings = dict(item.partition("=")[::2] for item in rest.split(";"))
    if not name or not colon or name in taken or not all(settings) or "=" not in rest:
        parser.error(f"--variant: '{text}' is not NAME:VAR=VALUE[;VAR=VALUE] with a new NAME")
    return name, settings


def check_preload(path):
    """The dynamic linker only warns, in every process, of what it cannot preload."""
    if not os.path.isfile(path):
        raise JobError(f"{path}: there is no such file; build it with: bazel build //actor:{os.path.basename(path)}")
    if re.search(r"[\s:]", str(path)):
        raise JobError(f"{path}: the dynamic linker takes no path with blanks or colons to preload")


def openmpi_command(program, ranks, ppn, virtual_hosts, bind, parameters=None, preload=None):
    """The command line that starts `program` (built for Open MPI) on that layout, with MCA parameters, and a library
    that is preloaded into the ranks."""
    command = ["mpirun.openmpi", "--oversubscribe", "-np", str(ranks)]
    if os.geteuid() == 0 or virtual_hosts:  # on which everybody is root
        command.append("--allow-run-as-root")
    if ppn:
        command += ["--map-by", f"ppr:{ppn}:node"]
    command += ["--bind-to", "core" if bind else "none"]
    if ranks > (os.cpu_count() or 1):
        # Open MPI decides by host, and virtual hosts share their cores.
        command += ["--mca", "mpi_yield_when_idle", "1"]
    # Else the first message between two ranks waits until the other one is in the library, too.
    command += ["--mca", "mpi_preconnect_mpi", "1"]
    for name, value in (parameters or {}).items():
        command += ["--mca", name, value]
    if preload:
        check_preload(preload)
        command += ["-x", f"LD_PRELOAD={preload}"]
        if ranks > (os.cpu_count() or 1):
            command += ["-x", "MPIACTOR_WAIT=yield"]
    if not virtual_hosts:
        return command + [str(program)]
    # The host file's name is known on the virtual cluster's head only.
    line = f'{command[0]} --hostfile "$VIRTUAL_CLUSTER_HOSTFILE" {shlex.join(command[1:])} "$0" "$@"'
    cluster = [str(ROOT / "tools" / "virtual-cluster"), "run", "--hosts", str(virtual_hosts)]
    return cluster + ["--", "sh", "-c", line, str(program)]


def missing_openmpi():
    """Why Open MPI cannot be compared; empty where it is installed."""
    missing = [tool for tool in ("mpicxx.openmpi", "mpirun.openmpi") if not shutil.which(tool)]
    if not missing:
        return ""
    return f"openmpi: {' and '.join(missing)} not found; install libopenmpi-dev, openmpi-bin"


def files_of(main):
    """Paths, from the project's folder, of the program's files: `main`, the project's headers that it includes
    by way of others, too, and the sources beside these."""
    found = set()
    ahead = [main]
    while ahead:
        name = ahead.pop()
        if name in found:
            continue
        found.add(name)
        included = re.findall(r'^#include "(.+)"', (ROOT / name).read_text(), re.MULTILINE)
        beside = [header.removesuffix(".h") + ".cc" for header in included]
        ahead += included + [source for source in beside if (ROOT / source).exists()]
    return sorted(found)


def build_for_openmpi(main):
    """Path of the program with the source `main`, built with Open MPI's compiler, from the cache if none of its
    files has changed."""
    name = pathlib.Path(main).stem
    files = [ROOT / file for file in files_of(main)]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "mpiactor"
    program = cache / f"{name}-openmpi-{digest.hexdigest()[:16]}"
    if program.exists():
        return program
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JobError(f"cannot make the folder {cache}: {error.strerror}; XDG_CACHE_HOME says where") from error
    print(f"building {name} for Open MPI ...", file=sys.stderr)
    unfinished = program.with_suffix(f".{os.getpid()}")
    command = ["mpicxx.openmpi", "-std=c++20", "-O2", "-DFMT_HEADER_ONLY", f"-I{ROOT}"]
    command += [str(path) for path in files if path.suffix == ".cc"] + ["-o", str(unfinished), "-ldl"]
    # A session of its own, so that an interruption ends the compiler's processes, too.
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    try:
        errors = process.communicate()[1]
    finally:
        stop(process)
    if process.returncode != 0:
        raise JobError(f"building {name} for Open MPI failed:\n{errors}")
    unfinished.rename(program)
    return program


def format_size(size):
    for suffix, factor in (("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if size and size % factor == 0:
            return f"{size // factor}{suffix}"
    return str(size)
