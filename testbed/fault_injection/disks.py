"""A disk that is full. Needs root, for a disk of its own in memory."""

import contextlib
import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from .outcome import Outcome
from .program import Program
from .results import BEGIN, Results

KIB = 1 << 10


@contextlib.contextmanager
def disk(at: Path, kib: int) -> Iterator[Path]:
    """A disk of that size."""
    at.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(at)], check=True)
    try:
        yield at
    finally:
        subprocess.run(["umount", str(at)], check=True)


def room(at: Path) -> int:
    """What is free, in bytes."""
    stat = subprocess.run(["stat", "--file-system", "--format", "%a %S", str(at)], check=True, stdout=subprocess.PIPE, text=True).stdout
    free, size = map(int, stat.split())
    return free * size


def full(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """Every verb that writes, on a disk that fills at a random place."""
    outcome = Outcome("full disk", "the error names the file, nothing that was there is harmed, no half file has a result's name")
    draw = Results(chance)
    batch = folder / "batch"
    batch.mkdir()
    for rank in range(40):
        (batch / f"{rank}.json").write_text(json.dumps(draw.of(rank, BEGIN)))
    first = batch / "0.json"
    refused = 0
    for trial in range(count):
        with disk(folder / f"disk-{trial}", 2048) as at:
            archive = at / "archive.sqlite"
            program.run("archive", "add", first, "--archive", archive)
            filler = at / "filler"
            filler.write_bytes(bytes(max(0, room(at) - chance.randrange(0, 512) * KIB)))
            for words in (
                ("archive", "add", batch, "--archive", archive),
                ("archive", "rename", "node-000", "node-x", "--archive", archive),
                ("archive", "export", "-o", at / "out", "--archive", archive),
                ("report", first, "-o", at / "report.html"),
                ("survey", "--quiet", "--on", "cascade-lake-4s", "--solver", "flow", "-o", at / "survey"),
                ("archive", "prune", "--before", "1d", "--keep", "0", "--archive", archive),
            ):
                answer = program.run(*words)
                refused += answer.status == 2
                told = answer.status == 0 or (answer.status == 2 and ("full" in answer.errors or "space" in answer.errors))
                outcome.check(answer.is_answer and told, f"trial {trial}: {words[:2]} {answer.status} {answer.errors[:300]}")
            filler.unlink()
            verified = program.run("archive", "verify", "--archive", archive)
            outcome.check(verified.status == 0, f"trial {trial}: {verified.errors[:200]}")
            half = []
            for file in at.rglob("*.json"):
                try:
                    json.loads(file.read_text())
                except ValueError:
                    half.append(file.name)
            outcome.check(not half, f"trial {trial}: {half}")
    outcome.seen = f"{refused} commands refused"
    return outcome
