"""The machine a comparison ran on, in words that name no host and no path."""

import os
import re
from pathlib import Path


def describe() -> dict[str, object]:
    """What bears on memory."""
    cpu = Path("/proc/cpuinfo").read_text()
    memory = Path("/proc/meminfo").read_text()
    model = re.search(r"^model name\s*: (.*)$", cpu, re.MULTILINE)
    total = re.search(r"^MemTotal:\s+(\d+)", memory, re.MULTILINE)
    return {
        "cpu": " ".join(model[1].split()) if model else os.uname().machine,
        "model": _field(cpu, "model"),
        "cpus": os.cpu_count(),
        "nodes": len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or 1,
        "memory_gib": round(int(total[1]) / (1 << 20), 1) if total else None,
        "caches": _caches(),
        "virtual": "hypervisor" in cpu,
        "kernel": os.uname().release.partition("-")[0],
        "thp": _selected("/sys/kernel/mm/transparent_hugepage/enabled"),
    }


def slug(machine: dict[str, object]) -> str:
    """The CPU in a folder's name."""
    words = re.sub(r"\((R|TM)\)|\bCPU\b|\bProcessor\b|@.*", "", str(machine["cpu"]))
    name = "-".join(re.findall(r"[a-z0-9]+", words.lower()))
    return f"{name}-model-{machine['model']}" if machine["virtual"] and machine["model"] else name


def _field(cpu: str, name: str) -> str | None:
    found = re.search(rf"^{name}\s*: (.*)$", cpu, re.MULTILINE)
    return found[1] if found else None


def _caches() -> list[str]:
    caches = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction":
            caches.append(f"L{level} {size}")
    return caches


def _selected(path: str) -> str | None:
    try:
        found = re.search(r"\[(\w+)\]", Path(path).read_text())
    except OSError:
        return None
    return found[1] if found else None
