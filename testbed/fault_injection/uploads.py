"""A day of uploads in minutes."""

import json
import random
import threading
import time
from datetime import timedelta
from pathlib import Path

from .databases import sent, status_of
from .outcome import Outcome
from .program import Program
from .results import BEGIN, Results

NODES = 400
HOURS = 24
# Memory at the end may exceed that at half time by so much.
GROWTH = 1.10


def day(program: Program, seconds: float, chance: random.Random, folder: Path) -> Outcome:
    """400 nodes send a result every hour of a day, while somebody reads pages."""
    outcome = Outcome(f"a day of {NODES * HOURS:,} uploads in {seconds / 60:.0f} min", "each is acknowledged, and the memory of the second half is that of the first")
    draw = Results(chance)
    archive = folder / "day.sqlite"
    memory: list[float] = []
    acknowledged = 0
    with program.server("--archive", archive) as server:
        stopped = threading.Event()

        def read() -> None:
            while not stopped.wait(0.5):
                for target in ("/", "/results", "/metrics", "/findings", f"/history?machine=node-{chance.randrange(NODES):03}"):
                    status_of(server, target)

        reader = threading.Thread(target=read)
        reader.start()
        begin = time.monotonic()
        total = NODES * HOURS
        for rank in range(total):
            time.sleep(max(0.0, begin + seconds * rank / total - time.monotonic()))
            status, _ = sent(server, draw.of(rank % NODES, BEGIN + timedelta(hours=rank // NODES)))
            acknowledged += status == 200
            if rank % (total // 48) == 0:
                memory.append(server.memory())
        stopped.set()
        reader.join()
        took = time.monotonic() - begin
        outcome.check(acknowledged == total, f"{acknowledged} of {total} were acknowledged")
        half = max(memory[len(memory) // 4 : len(memory) // 2])
        end = max(memory[len(memory) // 2 :])
        outcome.check(end <= half * GROWTH, f"{half:.0f} MB in the second quarter, {end:.0f} MB in the second half")
    listed = program.run("archive", "list", "--last", "1", "--format", "json", "--archive", archive)
    outcome.check(listed.status == 0 and bool(json.loads(listed.output)), listed.errors[:200])
    outcome.seen = f"{acknowledged / took:.0f} uploads/s; {half:.0f} MB in the second quarter, {end:.0f} MB at most later"
    return outcome
