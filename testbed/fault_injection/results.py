"""Results that nobody measured, of nodes that carry names, times and values as a trial wants them."""

import copy
import json
import random
import sys
from datetime import datetime, timedelta
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "peers"))
from comparison.drawn_results import BEGIN, SAMPLE, drawn  # noqa: E402

__all__ = ["BEGIN", "Results", "named", "scale"]


class Results:
    """Draws results; each has an id of its own."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._sample = json.loads(SAMPLE.read_text())
        self._drawn = 0

    def of(self, node: int, began: datetime, factor: float = 1.0) -> dict:
        """A result of a node that began then. Its latencies are those of all, times a factor."""
        self._drawn += 1
        result = copy.deepcopy(drawn(self._sample, node, self._chance))
        result["started_at"] = began.strftime("%Y-%m-%dT%H:%M:%SZ")
        result["finished_at"] = (began + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        result["run"]["id"] = f"{self._drawn:08x}-0000-7000-8000-{node:012x}"
        scale(result, factor)
        return result


def named(result: dict, node: str, rank: int) -> None:
    """Makes a result one of another node."""
    result["machine"]["name"] = node
    result["run"] = {"id": f"{rank:08x}-0000-7000-8000-000000000000", "host": {"name": node, "machine_id": f"00000000-0000-4000-8000-{rank:012x}"}}


def scale(result: dict, factor: float) -> None:
    """Multiplies every value."""
    for part in result["experiments"]:
        for cell in part["cells"]:
            for key, value in cell["estimate"].items():
                cell["estimate"][key] = value * factor
            for holder, key in ((cell, "samples"), (cell["evidence"], "rounds")):
                if key in holder:
                    holder[key] = [value * factor for value in holder[key]]
