"""Clocks that are wrong, or jump."""

import json
import random
import shutil
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

from .outcome import Outcome
from .program import Program
from .results import Results

HOSTS = 8


def wrong(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """One result of a bad machine comes from a clock that is wrong."""
    outcome = Outcome("one result dated 1970 to 2099", "a machine that is bad in its later results is found all the same")
    draw = Results(chance)
    for trial in range(count):
        into = folder / f"clock-{trial}"
        archive = folder / f"clock-{trial}.sqlite"
        into.mkdir()
        bad = chance.randrange(HOSTS)
        year = chance.choice([1970, 1980, 1999, 2027, 2030, 2038, 2099])
        odd = datetime(year, 12, 28, tzinfo=timezone.utc)
        (into / "odd.json").write_text(json.dumps(draw.of(bad, odd)))
        program.run("archive", "add", into, "--archive", archive)
        # Those that follow begin later; clocks of nodes may be hours ahead.
        begin = datetime.now(timezone.utc)
        for hour in range(1, 4):
            for node in range(HOSTS):
                began = begin + timedelta(hours=hour)
                (into / f"{node}-{hour}.json").write_text(json.dumps(draw.of(node, began, 2.0 if node == bad else 1.0)))
        added = program.run("archive", "add", into, "--archive", archive)
        analysed = program.run("fleet", "analyse", f"--archive={archive}", "--strict", "--format", "json")
        found = [one["node"] for group in json.loads(analysed.output or "{}").get("groups", []) for one in group["bad"]]
        outcome.check(added.status == 0 and found == [f"node-{bad:03}"], f"trial {trial}, year {year}: {found}, {analysed.errors[:200]}")
    return outcome


def jumps(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """The clock jumps by a year, forward or back, while models are surveyed and results are taken. Needs Debian's `faketime`."""
    outcome = Outcome("clock jumps by a year meanwhile", "`fleet run` and `archive add` end as they do otherwise")
    libraries = [Path(path) for path in ("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1", "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1")]
    library = next((path for path in libraries if path.exists()), None)
    if library is None:
        outcome.seen = "not tried: `faketime` is not installed"
        return outcome
    told = folder / "now"
    told.write_text("+0\n")
    fake = program.with_environment(
        LD_PRELOAD=str(library), FAKETIME_TIMESTAMP_FILE=str(told), FAKETIME_NO_CACHE="1", FAKETIME_DONT_FAKE_MONOTONIC="1"
    )
    for trial in range(count):
        into = folder / f"jump-{trial}"
        command = ("fleet", "run", "-o", into, "--launcher", "local", "--on", "cascade-lake-4s", "--nodes", 3)
        process = fake.start(*command, stderr=subprocess.PIPE, text=True)
        for _ in range(4):
            try:
                process.wait(timeout=chance.uniform(0.1, 0.6))
                break
            except subprocess.TimeoutExpired:
                told.write_text(chance.choice(["+366d\n", "-366d\n", "+0\n"]))
        try:
            _, errors = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            _, errors = process.communicate()
        whole = len(list(into.glob("n*.json")))
        outcome.check(process.returncode == 0 and whole == 3, f"trial {trial}: {process.returncode}, {whole} results, {errors[:200]}")
        added = fake.run("archive", "add", into, "--archive", folder / "jumps.sqlite")
        outcome.check(added.status == 0, f"trial {trial}: {added.errors[:200]}")
        told.write_text("+0\n")
        shutil.rmtree(into, ignore_errors=True)
    return outcome
