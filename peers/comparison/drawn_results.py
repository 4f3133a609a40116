"""Results that nobody measured: of many machines, a day apart, each as long as that of a survey."""

import copy
import json
import random
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from statistics import median

SAMPLE = Path(__file__).resolve().parents[2] / "crates/result/tests/files/version-2/host.json"
MACHINES = 200
CELLS = 60
SAMPLES = 28
BEGIN = datetime(2026, 1, 1, 3, tzinfo=timezone.utc)
BATCH = 1000


def batches(count: int, folder: Path) -> Iterator[tuple[Path, int, int]]:
    """Writes results into a folder, some at a time, since all of them are gigabytes: the folder, how many are in it, and the length of their texts."""
    chance = random.Random(1)
    sample = json.loads(SAMPLE.read_text())
    for first in range(0, count, BATCH):
        batch = folder / "in"
        batch.mkdir()
        ranks = range(first, min(first + BATCH, count))
        length = 0
        for rank in ranks:
            text = json.dumps(drawn(sample, rank, chance), indent=2)
            length += len(text)
            (batch / f"{rank}.json").write_text(text)
        yield batch, len(ranks), length
        shutil.rmtree(batch)


def drawn(sample: dict, rank: int, chance: random.Random) -> dict:
    """A result of one of the machines, on the day after its last one."""
    of, day = rank % MACHINES, rank // MACHINES
    result = copy.deepcopy(sample)
    began = BEGIN + timedelta(days=day)
    stamp = int(began.timestamp() * 1000) + of
    result["started_at"] = began.strftime("%Y-%m-%dT%H:%M:%SZ")
    result["finished_at"] = (began + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = f"node-{of:03}"
    result["machine"]["name"] = name
    result["run"] = {
        "id": f"{stamp >> 16:08x}-{stamp & 0xffff:04x}-7000-8000-{of:012x}",
        "host": {"name": name, "machine_id": f"00000000-0000-4000-8000-{of:012x}"},
    }
    part = result["experiments"][0]
    cell = part["cells"][0]
    cell["warnings"] = []
    cell["evidence"]["other_load"] = 0.0
    cells = []
    for place in range(CELLS):
        level = 100.0 + place
        samples = [level * chance.gauss(1.0, 0.01) for _ in range(SAMPLES)]
        value = median(samples)
        estimate = {"median": value, "low": value * 0.99, "high": value * 1.01, "min": min(samples), "max": max(samples)}
        estimate |= {"mean": sum(samples) / SAMPLES, "standard_deviation": level * 0.01}
        rounds = [level * chance.gauss(1.0, 0.005) for _ in range(SAMPLES)]
        evidence = cell["evidence"] | {"rounds": rounds, "round_spread": {"deviation": 0.005, "degrees": 39.0}}
        at = {"initiator": 0, "target": 0, "cpu": place}
        cells.append(cell | {"at": at, "samples": samples, "estimate": estimate, "evidence": evidence})
    part["cells"] = cells
    return result
