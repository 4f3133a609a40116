"""Guests in which something goes wrong, changes or is odd: what runs in each, and what must come out.

A check yields what is wrong with the files that the job left.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from . import advice, expectations
from .topology import Topology

JOBS = Path(__file__).resolve().parent.parent / "jobs"


@dataclass(frozen=True)
class Scenario:
    """A guest of a topology, a job in it, and a check of what the job left."""

    name: str
    topology: str
    summary: str
    check: Callable[[Topology, Path], Iterator[str]]
    # Makes programs and files for the guest in a folder, by a program that runs here.
    prepare: Callable[[Path, Path], tuple[list[Path], list[Path]]] | None = None

    @property
    def job(self) -> Path:
        """The script that runs in the guest."""
        return JOBS / f"{self.name}.sh"


def _result(out: Path, name: str) -> dict:
    (result,) = json.loads((out / f"{name}.json").read_text())["experiments"]
    return result


def _cells(result: dict, axis: str, place: object) -> list[dict]:
    return [cell for cell in result["cells"] if cell["at"].get(axis) == place]


def _warnings(holder: dict, name: str) -> list[dict]:
    return [warning for warning in holder.get("warnings", []) if warning["warning"] == name]


def _reasons(result: dict) -> list[tuple[str, str]]:
    return [(warning["experiment"], warning["reason"]) for warning in _warnings(result, "experiment_skipped")]


def _measured(name: str, result: dict, pairs: set[tuple[int, int]]) -> Iterator[str]:
    found = {(cell["at"]["initiator"], cell["at"]["target"]) for cell in result["cells"]}
    if missing := pairs - found:
        yield f"{name} lacks {sorted(missing)}: {_reasons(result)}"


def _succeeded(out: Path, name: str) -> Iterator[str]:
    status = (out / f"{name}.status").read_text().strip()
    if status != "0":
        yield f"{name}: exit status {status}: {(out / f'{name}.log').read_text().strip()[-300:]}"


def _changes(_: Topology, out: Path) -> Iterator[str]:
    for name, why in (("offline", "it is offline"), ("cpuset-cpus", "cpuset")):
        yield from _succeeded(out, name)
        result = _result(out, name)
        for cell in _cells(result, "initiator", 1):
            lost = _warnings(cell, "cpu_lost")
            if not lost or "CPU 3" not in lost[0]["reason"] or why not in lost[0]["reason"]:
                yield f"{name}: a cell of the lost CPU has warnings {cell.get('warnings')}"
        reasons = [reason for what, reason in _reasons(result) if "node 1 ->" in what]
        if not _cells(result, "initiator", 1) and not any(why in reason for reason in reasons):
            yield f"{name}: nothing says why node 1 is not there: {_reasons(result)}"
        yield from _measured(name, result, {(0, 0), (0, 1)})
        for cell in _cells(result, "initiator", 0):
            if _warnings(cell, "cpu_lost"):
                yield f"{name}: a cell of a CPU that stayed has warnings {cell['warnings']}"
    yield from _succeeded(out, "cpuset-mems")
    result = _result(out, "cpuset-mems")
    yield from _measured("cpuset-mems", result, {(0, 0), (1, 0)})
    for cell in _cells(result, "target", 0):
        if cell["evidence"]["backing"].get("placed_share") != 1.0:
            yield f"cpuset-mems: memory that stayed is at {cell['evidence']['backing']}"
    for cell in _cells(result, "target", 1):
        backing = cell["evidence"]["backing"]
        if backing.get("placed_share") == 1.0 or not _warnings(cell, "pages_misplaced"):
            yield f"cpuset-mems: memory that moved is at {backing}, with warnings {cell.get('warnings')}"


def _shortage(_: Topology, out: Path) -> Iterator[str]:
    everything = {(0, 0), (0, 1), (1, 0), (1, 1)}
    yield from _succeeded(out, "never")
    never = _result(out, "never")
    yield from _measured("never", never, everything)
    for cell in never["cells"]:
        backing = cell["evidence"]["backing"]
        if not _warnings(cell, "huge_pages_missing"):
            yield f"never: no warning of missing huge pages but {cell.get('warnings')}"
        if (backing["pages_checked"], backing.get("pages")) != (2048, 2048):
            yield f"never: of 2,048 pages of 4 KiB, the proof is {backing}"

    yield from _succeeded(out, "reserved")
    reserved = _result(out, "reserved")
    yield from _measured("reserved", reserved, {(0, 0), (1, 0)})
    if _cells(reserved, "target", 1) or not any("too few are available" in reason for _, reason in _reasons(reserved)):
        yield f"reserved: node 1 has no such pages, and still {reserved['cells'][-1:]}, {_reasons(reserved)}"

    for name in ("promised", "forbidden"):
        yield from _succeeded(out, name)
        yield from _measured(name, _result(out, name), {(0, 0)})

    for name in ("limited", "throttled"):
        yield from _succeeded(out, name)
        yield from _measured(name, _result(out, name), everything)

    yield from _succeeded(out, "few")
    if few := _reasons(_result(out, "few")):
        yield f"few: {few}"

    for name, doubted in (("hidden", False), ("hidden-far", True)):
        yield from _succeeded(out, name)
        for cell in _result(out, name)["cells"]:
            if bool(_warnings(cell, "cpu_elsewhere")) != doubted:
                yield f"{name}: {cell['at']} has warnings {cell.get('warnings')}"

    yield from _succeeded(out, "quota")
    quota = _result(out, "quota")
    if not any(_warnings(cell, "quota_short") for cell in quota["cells"]):
        yield f"quota: no cell names it: {[cell.get('warnings') for cell in quota['cells']]}, {_reasons(quota)}"

    for name in ("full", "full-stream"):
        yield from _succeeded(out, name)
        result = _result(out, name)
        for cell in result["cells"]:
            if cell["evidence"]["backing"].get("placed_share") not in (None, 1.0):
                yield f"{name}: {cell['at']} is at {cell['evidence']['backing']}"
        if not _cells(result, "initiator", 0):
            yield f"{name}: nothing of node 0: {_reasons(result)}"
        for what, reason in _reasons(result):
            if "node 0 -> node 0" in what or "node 1 -> node 0" in what:
                yield f"{name}: {what} is left out: {reason}"
    yield from _measured("full", _result(out, "full"), {(0, 0), (1, 0)})
    log = (out / "full-matrix.log").read_text()
    if (out / "full-matrix.status").read_text().strip() != "0" and "node 1: " not in log:
        yield f"full-matrix: nothing says which node is full: {log}"


def _isolated(_: Topology, out: Path) -> Iterator[str]:
    page = (out / "machine.txt").read_text()
    if "CPUs isolated" not in page:
        yield f"the page of the machine does not call node 1's CPUs isolated: {page}"
    others = _result(out, "others")
    if [warning["pus"] for warning in _warnings(others, "cpus_isolated")] != ["2-3"]:
        yield f"the result has warnings {others.get('warnings')}"
    refused = (out / "refused.log").read_text()
    if "taskset --cpu-list 3 " not in refused:
        yield f"an isolated CPU is refused in other words: {refused}"
    yield from _measured("isolated", _result(out, "isolated"), {(1, 0), (1, 1)})


def _fake(_: Topology, out: Path) -> Iterator[str]:
    machine = json.loads((out / "machine.json").read_text())
    if len(machine["nodes"]) != 2:
        yield f"the kernel made {len(machine['nodes'])} nodes"
    page = (out / "machine.txt").read_text()
    if "not allowed" in page or "shares the CPUs of node 0" not in page:
        yield f"the page of the machine is {page}"
    matrix = _result(out, "matrix")
    if not _warnings(matrix, "nodes_fake"):
        yield f"the result has warnings {matrix.get('warnings')}"
    yield from _measured("matrix", matrix, {(0, 0), (0, 1)})


def _many(topology: Topology, out: Path) -> Iterator[str]:
    # Of nodes this small, the kernel and the initial root file system may take more than a part.
    wrong = expectations.machine(topology, json.loads((out / "machine.json").read_text()))
    yield from (what for what in wrong if not what.startswith("memory of node"))
    matrix = _result(out, "matrix")
    yield from expectations.matrix(matrix, {0, 5, 16, 31}, {0, 5, 16, 31})


def _arm(_: Topology, out: Path) -> Iterator[str]:
    machine = json.loads((out / "machine.json").read_text())
    page = (out / "machine.txt").read_text()
    if "Neoverse N1" not in page or "implementer 0x41" not in page or "part 0xd0c" not in page:
        yield f"the processor is called {page.splitlines()[:4]}"
    if not machine["system"].get("hypervisor"):
        yield "the virtual machine passes for bare metal"
    if [node["pus"] for node in machine["nodes"]] != ["0-1", "2-3"]:
        yield f"nodes are {machine['nodes']}"
    survey = json.loads((out / "survey.json").read_text())
    results = {result["experiment"]: result for result in survey["experiments"]}
    matrix = results["latency-matrix"]
    yield from expectations.matrix(matrix, {0, 1}, {0, 1})
    if not machine["caches"] and not all(_warnings(cell, "caches_unknown") for cell in matrix["cells"]):
        yield "a buffer of 4 MiB is not in doubt where caches are unknown"


def _shares(spread: dict) -> dict[int, float]:
    total = sum(spread.values())
    return {int(node): size / total for node, size in spread.items()}


def _placed(out: Path, name: str, wanted: dict[int, float]) -> Iterator[str]:
    yield from _succeeded(out, name)
    placed = json.loads((out / f"{name}.json").read_text())
    shares = _shares(placed["after"]["bytes"])
    if any(abs(shares.get(node, 0) - share) > 0.03 for node, share in wanted.items()):
        yield f"{name}: shares are {shares}, not {wanted}"
    if placed["right"] < 0.99 * placed["after"]["length"]:
        yield f"{name}: only {placed['right']} of {placed['after']['length']} bytes are in place: {placed['refused']}"


def _where(_: Topology, out: Path) -> Iterator[str]:
    for name, wanted in (("first", {0: 1.0}), ("last", {0: 0.75, 1: 0.25})):
        yield from _succeeded(out, name)
        (found,) = json.loads((out / f"{name}.json").read_text())["found"]
        shares = _shares(found["bytes"])
        if any(abs(shares.get(node, 0) - share) > 0.03 for node, share in wanted.items()):
            yield f"{name}: shares are {shares}, not {wanted}"
    yield from _placed(out, "interleaved", {0: 0.5, 1: 0.5})
    yield from _placed(out, "second-node", {1: 1.0})
    yield from _placed(out, "weighted", {0: 0.75, 1: 0.25})
    if (out / "absent-node.status").read_text().strip() != "2":
        yield "absent-node: a node that is not there was accepted"
    yield from _succeeded(out, "process")
    (found,) = json.loads((out / "process.json").read_text())["found"]
    if _shares(found["bytes"]).get(1, 0) < 0.9 or found["cpu_shares"].get("1", 0) < 0.99:
        yield f"process: memory {found['bytes']}, CPU time {found['cpu_shares']}, not on node 1"
    lines = (out / "watch.txt").read_text().splitlines()
    if len(lines) < 2 or any("CPU time: node 1" not in line for line in lines):
        yield f"watch: {lines}: {(out / 'watch.log').read_text().strip()[-200:]}"


SCENARIOS = [
    Scenario("changes", "pair", "CPUs go offline and cpusets shrink while zerohop measures", _changes),
    Scenario("shortage", "pair", "too few huge pages, a full node, little memory, few threads, little CPU time, no /sys", _shortage),
    Scenario("isolated", "isolated", "CPUs that the kernel isolates", _isolated),
    Scenario("where", "pair", "pages of a process and of a file, which is brought to chosen nodes", _where),
    Scenario("advise", "quartet", "lines of advice, each tried", advice.check, advice.prepare),
    Scenario("fake", "fake", "nodes that the kernel makes up", _fake),
    Scenario("many", "nodes32", "32 nodes", _many),
    Scenario("arm", "arm-pair", "Arm cores whose caches nothing describes", _arm),
]
