"""Nodes that are lost in the middle of a round, behind an ssh that is a script."""

import contextlib
import json
import random
import signal
import stat
import subprocess
import time
from pathlib import Path

from .outcome import Outcome
from .program import Program, kill_all
from .results import named, scale

NODES = 4

# Runs the survey of a "node" on this host, as a model. A node in the file `lost` says the first bytes of its result, and then nothing more.
SSH = """#!/usr/bin/env python3
import os, subprocess, sys, time
from pathlib import Path
here = Path(__file__).resolve().parent
words = sys.argv[1:]
node = next(word for word in words if word.startswith("n0"))
made = subprocess.run([os.environ["PROGRAM"], "survey", "--quiet", "--on", "quartet", "--solver", "flow", "--format", "json", "-o", "survey-" + node], stdout=subprocess.PIPE)
if (here / "lost" / node).exists():
    sys.stdout.buffer.write(made.stdout[: len(made.stdout) // 2])
    sys.stdout.flush()
    time.sleep(600)
sys.stdout.buffer.write(made.stdout)
"""


def lost(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """A node that sends half of its result; then the front host is killed; then the node is back."""
    outcome = Outcome("a node lost in mid-answer, then the front host", "half a result is none: `fleet resume` asks again, and nothing is missing then")
    bin_folder = folder / "bin"
    (bin_folder / "lost").mkdir(parents=True)
    ssh = bin_folder / "ssh"
    ssh.write_text(SSH)
    ssh.chmod(ssh.stat().st_mode | stat.S_IXUSR)
    hosts = folder / "hosts"
    hosts.write_text("".join(f"n0{rank}\n" for rank in range(NODES)))
    with_ssh = program.with_environment(PATH=f"{bin_folder}:{program.environment['PATH']}", PROGRAM=str(program.path))
    for trial in range(count):
        into = folder / f"lost-{trial}"
        gone = bin_folder / "lost" / f"n0{chance.randrange(NODES)}"
        gone.touch()
        with_ssh.killed(chance, 6.0, "fleet", "run", "-o", into, "--launcher", "ssh", "--hosts", hosts)
        half = []
        for file in into.glob("n*.json"):
            try:
                json.loads(file.read_text())
            except ValueError:
                half.append(file.name)
        analysed = with_ssh.run("fleet", "analyse", into, "--strict")
        outcome.check(not half, f"trial {trial}: {half} under the names of results")
        outcome.check(analysed.status in (2, 3), f"trial {trial}: a round that is not whole: {analysed.status} {analysed.output[:200]}")
        gone.unlink()
        resumed = with_ssh.run("fleet", "resume", into) if (into / ".round.json").exists() else None
        if resumed is not None:
            there = len(list(into.glob("n*.json")))
            outcome.check(resumed.status == 0 and there == NODES, f"trial {trial}: {resumed.status}, {there} results, {resumed.errors[:200]}")
    return outcome


def ended(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """Programs that measure this host, ended by a signal of which nobody tells their children."""
    outcome = Outcome("`survey` and `check` ended by SIGTERM, SIGINT or SIGKILL", "nothing goes on measuring")
    fleet = folder / "fleet"
    fleet.mkdir()
    program.run("survey", "--quiet", "--budget", "2s", "-o", folder / "survey")
    for rank in range(NODES):
        one = json.loads((folder / "survey/result.json").read_text())
        named(one, f"n0{rank}", rank)
        scale(one, 1 + 0.01 * rank)
        (fleet / f"n0{rank}.json").write_text(json.dumps(one))
    baseline = folder / "baseline.json"
    made = program.run("fleet", "baseline", fleet, "-o", baseline)
    outcome.check(made.status == 0, f"no baseline: {made.errors[:200]}")
    measuring = [("check", "--baseline", baseline, "--budget", "60s"), ("survey", "--quiet", "--budget", "60s", "-o", folder / "never")]
    for trial in range(count):
        process = program.start(*measuring[trial % 2])
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=chance.uniform(0.3, 2.0))
        outcome.check(process.poll() is None, f"trial {trial}: it ended by itself with {process.returncode}")
        how = chance.choice([signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
        process.send_signal(how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
        time.sleep(0.5)
        outcome.check(not still_running(process.pid), f"trial {trial}: {measuring[trial % 2][0]} after {how.name}")
        kill_all(process)
    return outcome


def still_running(session: int) -> bool:
    """Whether a program of a session is left."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            return True
    return False
