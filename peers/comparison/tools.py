"""The peers: how each is called, and how what it prints becomes the measure's unit.

A tool that is not installed is left out. glibc's tunable puts `malloc`ed buffers on huge pages, for the tools that do
not ask for them.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from .measure import (
    COPY,
    COPY_NT,
    GIGABYTE,
    LATENCY,
    MIB,
    READ,
    STREAM_NT,
    TRIAD,
    TRIAD_NT,
    UPDATE,
    WRITE,
    WRITE_NT,
    Task,
    Variant,
)

HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


def number(pattern: str, scale: float = 1.0) -> Callable[[str], float | None]:
    """Reads the last match of a pattern, times a scale."""

    def read(text: str) -> float | None:
        found = re.findall(pattern, text)
        return float(found[-1]) * scale if found else None

    return read


def all_variants(task: Task, chase: Path | None) -> Iterator[Variant]:
    """Every variant of every tool that is installed."""
    if chase:
        yield from random_chase(task, chase)
    for program, variants in PROGRAMS.items():
        if shutil.which(program):
            yield from variants(task)


def random_chase(task: Task, program: Path) -> Iterator[Variant]:
    """The reference of this folder, in `chase/`."""

    def latency(text: str) -> float:
        return json.loads(text.splitlines()[-1])["latency_ns"]

    if task.threads == 1:
        # zerohop chases through every second line; what the choice of lines makes is seen beside it. They are no
        # rivals of which one is the better, so each is a tool of its own.
        for lines, spacing in (("every second line", 128), ("all lines", 64)):
            command = [str(program), str(task.size), str(spacing), str(task.cpus[0]), str(task.seconds), "1"]
            yield Variant(f"plain chase of {lines}", "by Sattolo", LATENCY, command, latency)


# LIKWID counts every load and store that the kernel does, as STREAM does. Its `stream` is STREAM's triad; its own
# `triad` has a fourth array and is none of STREAM's.
LIKWID_KERNELS = {
    READ: r"load(_mem)?(_sse|_avx|_avx512)?",
    WRITE: r"store(_sse|_avx|_avx512)?",
    WRITE_NT: r"store_mem(_sse|_avx|_avx512)?",
    COPY: r"copy(_sse|_avx|_avx512)?",
    COPY_NT: r"copy_mem(_sse|_avx|_avx512)?",
    TRIAD: r"stream(_sse|_avx|_avx512)?(_fma)?",
    TRIAD_NT: r"stream_mem(_sse|_avx|_avx512)?(_fma)?",
    UPDATE: r"update(_sse|_avx|_avx512)?",
}

# Bytes a second from which the number of its passes follows; twice as fast or slow is as good.
LIKWID_RATE = 30 * GIGABYTE


def likwid_bench(task: Task) -> Iterator[Variant]:
    """Hand-written kernels of every instruction set: https://github.com/RRZE-HPC/likwid."""
    listing = subprocess.run(["likwid-bench", "-a"], capture_output=True, text=True, check=False).stdout
    kernels = [line.split(" - ")[0].strip() for line in listing.splitlines() if " - " in line]
    flags = set(re.search(r"^flags\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())
    # With a time instead, it runs all passes several times to find their number, which takes ten times as long: the machine
    # changes meanwhile, and a pair compares two different minutes.
    passes = max(10, round(task.seconds * LIKWID_RATE / task.size))
    for measure, pattern in LIKWID_KERNELS.items():
        for kernel in kernels:
            if not re.fullmatch(pattern, kernel) or ("avx512" in kernel and "avx512f" not in flags):
                continue
            group = f"N:{task.size // 1000}kB:{task.threads}"
            command = ["likwid-bench", "-t", kernel, "-w", group, "-i", str(passes)]
            read = number(r"MByte/s:\s+([\d.]+)", 1e6 / GIGABYTE)
            yield Variant("likwid-bench", kernel, measure, _on_cpus(task, command), read, HUGE_PAGES)


def stress_ng(task: Task) -> Iterator[Variant]:
    """`stream` runs STREAM's four in turn, and gives megabytes read and written: https://github.com/ColinIanKing/stress-ng.

    Its stores are non-temporal (`movnti` in the program).
    """

    def rates(text: str) -> float | None:
        found = re.search(r"memory rate: ([\d.]+) MB read/sec, ([\d.]+) MB write/sec", text)
        # One line for each instance; instances are alike.
        return (float(found[1]) + float(found[2])) * MIB / GIGABYTE * task.threads if found else None

    # It takes arrays of a few times the cache's size that it is told.
    cache = task.size // task.threads // 12
    command = ["stress-ng", "--stream", str(task.threads), "--stream-l3-size", str(cache), "--timeout", "6"]
    command += ["--stream-madvise", "hugepage"]
    yield Variant("stress-ng", "stream", STREAM_NT, _on_cpus(task, command), rates)

    for name, measure in (("read1024", READ), ("write1024", WRITE)):
        command = ["stress-ng", "--memrate", str(task.threads), "--memrate-bytes", str(task.size // task.threads)]
        read = number(rf"memrate\s+([\d.]+) {name} MB per sec", MIB / GIGABYTE * task.threads)
        yield Variant(
            "stress-ng", f"memrate {name}", measure, _on_cpus(task, [*command, "--timeout", "6", "--metrics"]), read,
            huge_pages=False,
        )  # fmt: skip


def sysbench(task: Task) -> Iterator[Variant]:
    """Sums a buffer or fills it, in blocks that all threads share: https://github.com/akopytov/sysbench."""
    for operation, measure in (("read", READ), ("write", WRITE)):
        command = ["sysbench", "memory", f"--threads={task.threads}", f"--memory-oper={operation}"]
        command += ["--memory-scope=local", f"--memory-block-size={task.size // task.threads}"]
        command += ["--memory-total-size=1P", f"--time={max(1, round(task.seconds))}", "run"]
        read = number(r"\(([\d.]+) MiB/sec\)", MIB / GIGABYTE)
        yield Variant("sysbench", operation, measure, _on_cpus(task, command), read, HUGE_PAGES)


# The C library's copy chooses its stores itself: non-temporal ones for large blocks, which do not make the caches fetch what
# they overwrite. So it is held against the copy past the caches.


def mbw(task: Task) -> Iterator[Variant]:
    """Copies by the C library, one thread, counted once: https://github.com/raas/mbw.

    Its copy in blocks (`-t2`) is left out: up to version 1.2.2 it reads the same block again and again, from the cache.
    """
    if task.threads == 1:
        command = ["mbw", "-n", "3", "-t0", str(task.size // 2 // MIB)]
        read = number(r"AVG.*Copy: ([\d.]+) MiB/s", 2 * MIB / GIGABYTE)
        yield Variant("mbw", "memcpy", COPY_NT, _on_cpus(task, command), read, HUGE_PAGES)


def perf(task: Task) -> Iterator[Variant]:
    """The C library's copy of zeros, one thread, counted once: the kernel's tools/perf."""
    if task.threads == 1:
        command = ["perf", "bench", "mem", "memcpy", "-s", f"{task.size // 2 // MIB}MB", "-l", "3", "-f", "default"]
        read = number(r"([\d.]+) GB/sec", 2 * 1024 * MIB / GIGABYTE)
        yield Variant("perf bench", "memcpy", COPY_NT, _on_cpus(task, command), read, HUGE_PAGES)


def clpeak(task: Task) -> Iterator[Variant]:
    """OpenCL kernels on every CPU, over a buffer of its own choice: https://github.com/krrishnarraj/clpeak."""
    devices = subprocess.run(["nproc"], capture_output=True, text=True, check=True).stdout
    if task.threads == int(devices):
        for width in ("float4", "float16"):
            read = number(rf"{width}\s*: ([\d.]+)")
            yield Variant("clpeak", width, READ, ["clpeak", "--global-bandwidth"], read, HUGE_PAGES)


PROGRAMS: dict[str, Callable[[Task], Iterator[Variant]]] = {
    "likwid-bench": likwid_bench,
    "stress-ng": stress_ng,
    "sysbench": sysbench,
    "mbw": mbw,
    "perf": perf,
    "clpeak": clpeak,
}

VERSION_OPTIONS = {"likwid-bench": "-h", "perf": "version", "mbw": "-h"}


def versions() -> dict[str, str]:
    """What each installed tool says its version is."""
    found = {}
    for program in PROGRAMS:
        if shutil.which(program):
            command = [program, VERSION_OPTIONS.get(program, "--version")]
            text = subprocess.run(command, capture_output=True, text=True, check=False)
            version = re.search(r"\d+\.\d+[\w.+-]*", text.stdout + text.stderr)
            found[program] = version[0] if version else "unknown"
    return found


def _on_cpus(task: Task, command: list[str]) -> list[str]:
    return ["taskset", "--cpu-list", task.cpu_list, *command]
