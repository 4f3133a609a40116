"""zerohop's side of every comparison."""

import json
from pathlib import Path

from .measure import (
    COPY,
    COPY_NT,
    LATENCY,
    READ,
    STREAM_NT,
    TRIAD,
    TRIAD_NT,
    UPDATE,
    WRITE,
    WRITE_NT,
    Measure,
    Task,
    Variant,
)

# How bytes are counted in the four kernels of STREAM, in lines a repeat.
STREAM_WEIGHTS = {"copy_nt": 2, "scale_nt": 2, "add_nt": 3, "triad_nt": 3}


def variant(program: Path, measure: Measure, task: Task) -> Variant:
    """The command that gives this measure, and the cell that holds it."""
    experiment, axis, place = {
        LATENCY: ("latency-matrix", None, None),
        READ: ("stream", "kernel", "read"),
        WRITE: ("stream", "kernel", "write"),
        WRITE_NT: ("stream", "kernel", "write_nt"),
        COPY: ("stream", "kernel", "copy"),
        COPY_NT: ("stream", "kernel", "copy_nt"),
        TRIAD: ("stream", "kernel", "triad"),
        TRIAD_NT: ("stream", "kernel", "triad_nt"),
        UPDATE: ("stream", "kernel", "mix_1_1"),
        STREAM_NT: ("stream", "kernel", None),
    }[measure]
    command = [
        *[str(program), "--quiet", "run", experiment, "--format", "json"],
        *["--cpus", task.cpu_list, "--buffer", str(task.size), "--budget", f"{task.seconds}s"],
    ]
    if place:
        command += ["--kernel", place]
    return Variant("zerohop", place or experiment, measure, command, lambda text: _read(text, measure, axis, place))


def _read(text: str, measure: Measure, axis: str | None, place: str | None) -> float | None:
    wanted = "latency_ns" if measure is LATENCY else "bandwidth_gbps"
    (experiment,) = json.loads(text)["experiments"]
    cells = [cell for cell in experiment["cells"] if cell["measure"] == wanted]
    if measure is STREAM_NT:
        speeds = {cell["at"]["kernel"]: cell["estimate"]["median"] for cell in cells}
        time = sum(weight / speeds[kernel] for kernel, weight in STREAM_WEIGHTS.items())
        return sum(STREAM_WEIGHTS.values()) / time
    found = [cell for cell in cells if axis is None or cell["at"][axis] == place]
    return found[0]["estimate"]["median"] if len(found) == 1 else None
