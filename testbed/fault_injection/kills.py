"""Programs that are killed at random moments (SIGKILL, with all that they started), and what is left then."""

import json
import random
import threading
import urllib.request
from pathlib import Path

from .outcome import Outcome
from .program import Program
from .results import BEGIN, Results

NODES = 4
SWEEP = ("sweep", "sr665-v3", "--set", "links=3,4", "--set", "width=x4,x8,x16", "--experiment", "bandwidth-matrix", "--solver", "event")


def whole(path: Path) -> bool:
    """Whether a file is a whole document."""
    try:
        json.loads(path.read_text())
    except (OSError, ValueError):
        return False
    return True


def surveys(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """Surveys of the host."""
    outcome = Outcome("`survey` killed", "what was saved is a whole result, marked as unfinished, and the host is free for the next one")
    seen = dict.fromkeys(("complete", "running", "nothing"), 0)
    for trial in range(count):
        into = folder / f"survey-{trial}"
        cut = program.killed(chance, 2.5, "survey", "--quiet", "--budget", "2s", "-o", into)
        saved = into / "result.json"
        if not saved.exists():
            seen["nothing"] += 1
            outcome.check(True, "")
            continue
        completion = json.loads(saved.read_text()).get("completion") if whole(saved) else "half a document"
        seen[completion] = seen.get(completion, 0) + 1
        shown = program.run("show", saved)
        leftovers = [file.name for file in into.iterdir() if not whole(file) and file.suffix == ".json"]
        # A kill after the last word finds a complete result.
        fits = completion in ("running", "complete")
        readable = shown.status == 0 or "no usable values" in shown.errors
        outcome.check(fits and readable and not leftovers, f"trial {trial} ({cut=}): {completion}, {shown.errors[:200]}, {leftovers}")
    next_one = program.run("survey", "--quiet", "--budget", "2s", "-o", folder / "next", timeout=60)
    outcome.check(next_one.status == 0, f"the next survey: {next_one}")
    outcome.seen = ", ".join(f"{number} {words}" for words, number in seen.items() if number)
    return outcome


def sweeps(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """A sweep that goes on after each kill."""
    outcome = Outcome("`sweep` killed", "the same command goes on from its journal, and the rows are those of a sweep that nobody killed")
    undisturbed, rows = folder / "undisturbed.csv", folder / "rows.csv"
    answer = program.run(*SWEEP, "-o", undisturbed)
    outcome.check(answer.status == 0, f"undisturbed: {answer}")
    kills = 0
    for trial in range(count):
        if program.killed(chance, 0.4, *SWEEP, "-o", rows):
            kills += 1
            if trial % 5 != 4:
                continue
        answer = program.run(*SWEEP, "-o", rows)
        same = answer.status == 0 and rows.read_bytes() == undisturbed.read_bytes()
        outcome.check(same, f"trial {trial}: {answer.status} {answer.errors[:200]}")
        rows.unlink(missing_ok=True)
        rows.with_name("rows.csv.journal").unlink(missing_ok=True)
    outcome.seen = f"{kills} kills"
    return outcome


def fleets(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """Rounds of models that are resumed after each kill."""
    outcome = Outcome("`fleet run` killed", "no half result has a node's name; `fleet resume` ends with all of them whole")
    kills = 0
    for trial in range(count):
        into = folder / f"fleet-{trial}"
        run = ("fleet", "run", "-o", into, "--launcher", "local", "--on", "cascade-lake-4s", "--nodes", NODES)
        kills += program.killed(chance, 4.0, *run)
        half = [file.name for file in into.glob("*.json") if not whole(file)] if into.exists() else []
        begun = (into / ".round.json").exists()
        answer = program.run("fleet", "resume", into) if begun else program.run(*run)
        after = sorted(file.name for file in into.glob("*.json") if whole(file))
        outcome.check(not half and answer.status == 0 and len(after) == NODES, f"trial {trial}: {half}, {after}, {answer.errors[:200]}")
    outcome.seen = f"{kills} kills"
    return outcome


def adds(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """Results that are added to one archive again and again."""
    outcome = Outcome("`archive add` killed", "the archive verifies, holds whole results only, and takes the rest when they are added again")
    batch = folder / "batch"
    batch.mkdir()
    draw = Results(chance)
    for rank in range(300):
        (batch / f"{rank}.json").write_text(json.dumps(draw.of(rank % 20, BEGIN)))
    kills = 0
    for trial in range(count):
        archive = folder / f"adds-{trial}.sqlite"
        kills += program.killed(chance, 1.5, "archive", "add", batch, "--archive", archive)
        if archive.exists():
            verified = program.run("archive", "verify", "--archive", archive)
            # A file that is empty is no archive yet.
            sound = verified.status == 0 or archive.stat().st_size == 0
            outcome.check(sound, f"trial {trial}: {verified.errors[:200]}")
        again = program.run("archive", "add", batch, "--archive", archive)
        listed = program.run("archive", "list", "--all", "--format", "csv", "--archive", archive)
        outcome.check(again.status == 0 and listed.output.count("\n") == 301, f"trial {trial}: {again.errors[:200]} {listed.output.count(chr(10))} lines")
        archive.unlink(missing_ok=True)
    outcome.seen = f"{kills} kills"
    return outcome


def uploads(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """A server that is killed while two clients send results."""
    outcome = Outcome("`serve` killed during uploads", "whatever it acknowledged is in the archive")
    archive = folder / "uploads.sqlite"
    draw = Results(chance)
    acknowledged: set[str] = set()
    for trial in range(count):
        with program.server("--archive", archive) as server:
            stopped = threading.Event()

            def send(client: int, address: str = server.address, stopped: threading.Event = stopped) -> None:
                while not stopped.is_set():
                    result = draw.of(client, BEGIN)
                    request = urllib.request.Request(f"{address}/api/v1/results", data=json.dumps(result).encode(), method="POST")
                    try:
                        with urllib.request.urlopen(request, timeout=30) as answer:
                            answer.read()
                            acknowledged.add(result["run"]["id"])
                    except OSError:
                        stopped.set()

            clients = [threading.Thread(target=send, args=(client,)) for client in range(2)]
            for client in clients:
                client.start()
            stopped.wait(chance.uniform(0.05, 1.0))
            server.kill()
            stopped.set()
            for client in clients:
                client.join()
        listed = program.run("archive", "list", "--all", "--format", "csv", "--archive", archive)
        there = {line.partition(",")[0] for line in listed.output.splitlines()[1:]}
        outcome.check(acknowledged <= there, f"trial {trial}: {len(acknowledged - there)} of {len(acknowledged)} are lost")
    verified = program.run("archive", "verify", "--archive", archive)
    outcome.check(verified.status == 0, verified.errors[:200])
    outcome.seen = f"{len(acknowledged)} results acknowledged"
    return outcome
