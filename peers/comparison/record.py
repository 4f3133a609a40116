"""What a comparison keeps: one line of JSON for the machine and the settings, then one for every run."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One run of one program."""

    pair: int
    measure: str
    unit: str
    threads: int
    tool: str
    variant: str
    huge_pages: bool
    value: float
    wall_s: float
    cpu_share: float
    other_load: float
    # `False` for a run of a pair that something disturbed and that was taken again.
    counts: bool


class Record:
    """The file under way: every run is in it as soon as it has ended."""

    def __init__(self, path: Path, head: dict) -> None:
        self._file = path.open("w")
        self._write(head)

    def add(self, row: Row) -> None:
        """Keeps a run."""
        self._write(
            {name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(row).items()}
        )

    def _write(self, line: dict) -> None:
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


def read(path: Path) -> tuple[dict, list[Row]]:
    """A file written before."""
    head, *rows = (json.loads(line) for line in path.read_text().splitlines())
    return head, [Row(**row) for row in rows]


def pairs(rows: Iterable[Row]) -> Iterator[tuple[Row, Row]]:
    """zerohop's run and the peer's of every pair that counts."""
    open_pairs: dict[int, Row] = {}
    for row in rows:
        if row.counts:
            other = open_pairs.pop(row.pair, None)
            if other is None:
                open_pairs[row.pair] = row
            else:
                yield other, row
