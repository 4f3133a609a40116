"""Running one program once, and noting what disturbed it."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from .measure import Task, Variant

# Beyond this many CPUs' worth of other programs' time, a run says little.
QUIET = 0.15


class RunFailed(Exception):
    """A program that failed, or did not print its number."""


@dataclass(frozen=True)
class Outcome:
    """A number and what was seen beside it."""

    value: float
    wall_s: float
    cpu_share: float
    other_load: float

    @property
    def quiet(self) -> bool:
        """Whether the machine was left to it."""
        return self.other_load <= QUIET


def run(variant: Variant, task: Task, timeout: float, nice: int = 0) -> Outcome:
    """Runs it to its end.

    `nice` is that of its autogroup (sched(7)): from one to another a plain `nice` does nothing.
    """
    before, begin = _machine_cpu_seconds(), time.monotonic()
    process = subprocess.Popen(
        variant.command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **variant.environment, "LC_ALL": "C"},
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=(lambda: _autogroup(nice)) if nice else None,
    )
    own_before = _children_cpu_seconds()
    try:
        text, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        # Some peers have workers of their own.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise RunFailed(f"no end after {timeout:.0f} s") from None
    wall = time.monotonic() - begin
    own = _children_cpu_seconds() - own_before
    others = max(0.0, _machine_cpu_seconds() - before - own)
    if process.returncode:
        raise RunFailed(f"exit status {process.returncode}: {text.strip()[-300:]}")
    try:
        value = variant.read(text)
    except (KeyError, ValueError):
        value = None
    if value is None:
        raise RunFailed(f"no number in: {text.strip()[-300:]}")
    return Outcome(value, wall, own / wall / task.threads, others / wall)


def _autogroup(nice: int) -> None:
    Path("/proc/self/autogroup").write_text(str(nice))


def _children_cpu_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _machine_cpu_seconds() -> float:
    """CPU time of all programs, and what the hypervisor gave to others."""
    first = Path("/proc/stat").read_text().partition("\n")[0]
    user, nice, system, _idle, _wait, irq, softirq, steal = map(int, first.split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
