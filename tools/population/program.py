"""Runs build/thud under a limit of time and says how it ended."""
import dataclasses
import hashlib
import json
import os
import pathlib
import resource
import shlex
import signal
import subprocess
import time

from .case import BINARIES, OUT, ROOT, THUD

PATIENCE = 10  # times its limit of processor time that a program may take by the clock
GRACE = 2.0  # s that a program has to end after SIGTERM, before SIGKILL


@dataclasses.dataclass
class Ran:
    """outcome: finished, stop (exit 3), refused (exit 1 or 2), crash (a signal) or hang (over its limit of processor time)."""
    command: str
    outcome: str
    code: int
    said: str
    report: dict
    recording: pathlib.Path
    cpu: float
    wall: float

    @property
    def doubts(self):
        return (self.report or {}).get("doubts") or []


def cpu_seconds(pid):
    """The processor time of a running program; the machine may be busy with others."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


def end(process):
    """Asks a program to end, then makes it; what it wrote."""
    process.terminate()
    try:
        out, err = process.communicate(timeout=GRACE)
        return out, err + "\nended by SIGTERM"
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return out, err + "\ndid not end within 2 s of SIGTERM"


def freeze(of):
    """Keeps a copy of the program, so that a build made meanwhile does not change a run of hours; its hash."""
    global frozen
    text = of.read_bytes()
    build = hashlib.sha256(text).hexdigest()[:12]
    BINARIES.mkdir(parents=True, exist_ok=True)
    frozen = BINARIES / f"thud-{build}"
    if not frozen.exists():
        part = frozen.with_suffix(f".{os.getpid()}")
        part.write_bytes(text)
        part.chmod(0o755)
        part.rename(frozen)
    return build


frozen = THUD


def relative(x):
    text = str(x)
    return os.path.relpath(text, ROOT) if text.startswith(str(ROOT.parent)) else text


def _limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    os.setpgrp()


def run(scene, args, limit, stem="run", record=True, contacts=False, every=1):
    """Runs a scene; paths in the command are relative to the repository, where it can be typed again."""
    recording = OUT / f"{stem}.h5" if record else None
    command = ["build/thud", "run", relative(scene), *map(str, args), "--json"]
    told = shlex.join(command)
    if record:
        recording.unlink(missing_ok=True)
        command += ["--record", relative(recording), "--every", str(every)] + (["--record-contacts"] if contacts else [])
    began, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               preexec_fn=_limits, executable=str(frozen))
    hung = False
    while True:
        try:
            out, err = process.communicate(timeout=0.25)
            break
        except subprocess.TimeoutExpired:
            hung = cpu_seconds(process.pid) > limit or time.monotonic() - began > PATIENCE * limit
        if hung:
            out, err = end(process)
            break
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        report = json.loads(out)
    except ValueError:
        report = None
    code = process.returncode
    return Ran(told, "hang" if hung else outcome_of(code), code, err.strip().split("\n")[-1][:300], report,
               recording if recording and recording.exists() else None,
               after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime, time.monotonic() - began)


def outcome_of(code):
    if code == 0:
        return "finished"
    if code < 0 or code >= 128 or code not in (1, 2, 3):
        return "crash" if code != -signal.SIGINT else "interrupted"
    return "stop" if code == 3 else "refused"
