"""Lines of `zerohop advise placement` for the machine `quartet`, tried in a guest with the same nodes and CPUs."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from . import kernel
from .topology import Topology

TOUCHER = Path(__file__).resolve().parent.parent / "programs/toucher.c"

# Programs whose placements differ: local data, one node, interleaved.
CASES = {
    "private": ["--threads", "4", "--data", "private", "--bytes", "16M"],
    "one-node": ["--threads", "2", "--data", "shared", "--bytes", "16M", "--sensitivity", "latency"],
    "spread": ["--threads", "8", "--data", "shared", "--bytes", "16M", "--mix", "write"],
}

# What programs of Debian's packages need; the guest has it in /in.
LIBRARIES = [Path("/lib64/ld-linux-x86-64.so.2"), Path("/lib/x86_64-linux-gnu/libc.so.6")]
LOADER = "/in/ld-linux-x86-64.so.2"

# Tools whose lines start a program in the guest.
STARTED = ("numactl", "taskset", "OpenMP")


def _advice(program: Path, case: str) -> dict:
    command = [program, "advise", "placement", "--on", "quartet", "--quick", "--format", "json", *CASES[case]]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _line(advice: dict, tool: str) -> str | None:
    return next((line["text"] for line in advice["lines"] if line["tool"] == tool), None)


def prepare(program: Path, folder: Path) -> tuple[list[Path], list[Path]]:
    """Programs and files for the guest: the lines, the program that they start, and numactl."""
    rows = []
    for case in CASES:
        advice = _advice(program, case)
        (folder / f"{case}.advice.json").write_text(json.dumps(advice))
        threads = sum(advice["alternatives"][0]["placement"]["threads"].values())
        kind = "private" if case == "private" else "shared"
        for tool in STARTED:
            if line := _line(advice, tool):
                rows.append((f"{case}.{tool}", kind, threads, line))
        if line := _line(advice, "mbind"):
            _compile(folder / f"program-mbind-{case}", line)
            cpus = _line(advice, "numactl").split()[1]
            rows.append((f"{case}.mbind", f"mbind-{case}", threads, f"numactl {cpus} ./program"))
        if case == "one-node":
            # On other nodes than advised, then moved by the lines for what runs already.
            rows.append((f"{case}.before-moving", kind, threads, "numactl --physcpubind=6,7 --membind=2 ./program"))
            (folder / "moving").write_text(_line(advice, "a running process") + "\n")
    for kind in ("private", "shared"):
        _compile(folder / f"program-{kind}", "")
    (folder / "lines").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    programs = sorted(folder.glob("program-*"))
    files = [folder / "lines", folder / "moving"]
    files += LIBRARIES
    files.append(kernel.packaged(kernel.default_cache(), "libnuma1", "usr/lib/x86_64-linux-gnu/libnuma.so.1"))
    for package, name in (("numactl", "numactl"), ("numactl", "migratepages"), ("util-linux", "taskset")):
        binary = kernel.packaged(kernel.default_cache(), package, f"usr/bin/{name}")
        files.append(folder / f"{name}.bin")
        shutil.copy(binary, files[-1])
        programs.append(folder / name)
        programs[-1].write_text(f'#!/bin/sh\nexec {LOADER} --library-path /in /in/{name}.bin "$@"\n')
    return programs, files


def _compile(path: Path, line: str) -> None:
    """The program with that line of C in it. It is static: the guest has no libraries."""
    headers = path.with_suffix(".include")
    headers.mkdir()
    (headers / "line.h").write_text(line + "\n")
    subprocess.run(["gcc", "-O1", "-static", "-fopenmp", f"-I{headers}", TOUCHER, "-o", path], check=True)
    shutil.rmtree(headers)


def check(topology: Topology, out: Path) -> Iterator[str]:
    """What is wrong with where threads and pages were."""
    for case in CASES:
        advice = json.loads((out / f"{case}.advice.json").read_text())
        best = advice["alternatives"][0]["placement"]
        for tool in (*STARTED, "mbind"):
            if _line(advice, tool) is not None:
                yield from (f"{case}, {tool}: {what}" for what in _wrong(topology, best, tool, out, f"{case}.{tool}"))
    yield from _moved(out)


def _wrong(topology: Topology, best: dict, tool: str, out: Path, name: str) -> Iterator[str]:
    seen = json.loads((out / f"{name}.json").read_text())
    where = json.loads((out / f"{name}.where.json").read_text())["found"][0]
    wanted = {int(node): threads for node, threads in best["threads"].items()}
    threads = seen["threads"]
    if len(threads) != sum(wanted.values()):
        yield f"{len(threads)} threads instead of {sum(wanted.values())}"
    cpus = {cpu for thread in threads for cpu in thread["cpus"]}
    first = {node.number: 2 * node.number for node in topology.present}
    allowed = {first[node] + rank for node, count in wanted.items() for rank in range(count)}
    if cpus != allowed:
        yield f"threads may run on {sorted(cpus)} instead of {sorted(allowed)}"
    if tool == "OpenMP":
        if any(len(thread["cpus"]) != 1 for thread in threads):
            yield "a thread is not pinned"
        found: dict[int, int] = {}
        for thread in threads:
            found[thread["node"]] = found.get(thread["node"], 0) + 1
        if found != wanted:
            yield f"threads by node are {found}, not {wanted}"
    if best["memory"]["policy"] == "local":
        for thread in threads:
            pages = _pages(thread["pages"])
            # Without OpenMP, the kernel may have moved a thread since it touched its data.
            if tool == "OpenMP" and set(pages) != {thread["node"]}:
                yield f"a thread on node {thread['node']} has its pages on {pages}"
            if not set(pages) <= set(wanted):
                yield f"pages on {pages}, but threads on {sorted(wanted)}"
        return
    pages = _pages(seen["pages"])
    memory = best["memory"]
    nodes = memory.get("nodes", [memory.get("node")])
    if set(pages) != set(nodes) or max(pages.values()) - min(pages.values()) > 2:
        yield f"pages on {pages}, not alike on nodes {nodes}"
    kernel_says = _numa_maps(out / f"{name}.numa_maps")
    if kernel_says != pages:
        yield f"numa_maps has {kernel_says}, the program {pages}"
    share = sum(int(count) for node, count in where["bytes"].items() if int(node) in nodes) / sum(where["bytes"].values())
    if share < 0.95:
        yield f"zerohop sees {share:.0%} of the pages on nodes {nodes}"


def _pages(pages: dict) -> dict[int, int]:
    if pages["absent"]:
        raise ValueError(f"{pages['absent']} pages are nowhere")
    return {int(node): count for node, count in pages.items() if node != "absent"}


def _numa_maps(path: Path) -> dict[int, int]:
    """The pages of the largest mapping, by node."""
    rows = []
    for line in path.read_text().splitlines():
        on = [word[1:].split("=") for word in line.split() if word.startswith("N") and "=" in word]
        rows.append({int(node): int(count) for node, count in on})
    return max(rows, key=lambda row: sum(row.values()))


def _moved(out: Path) -> Iterator[str]:
    if (status := (out / "moving.status").read_text().strip()) != "0":
        yield f"moving: exit status {status}: {(out / 'moving.log').read_text()}"
    where = json.loads((out / "moved.where.json").read_text())["found"][0]
    if where["bytes"].get("0", 0) < 0.95 * sum(where["bytes"].values()):
        yield f"after moving, pages are on {where['bytes']}"
    allowed = {line.split()[-1] for line in (out / "moved.cpus").read_text().splitlines()}
    if allowed != {"0-1"}:
        yield f"after moving, threads may run on {sorted(allowed)}"
