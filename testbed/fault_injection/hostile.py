"""Results and texts that somebody made to do harm."""

import json
import random
import urllib.parse
import urllib.request
from pathlib import Path

from .databases import sent, status_of
from .outcome import Outcome
from .program import Program
from .results import BEGIN, Results

NAMES = [
    "", " ", ".", "..", "../x", "-rf", "a" * 250, "a" * 100_000, "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\u202egnp.exe", "\u2066x\u2069",
    "a\x00b", "\x1b[31mred", "\x9b31m", "\x1b]52;c;eA==\x07", "a\nb", "a\r\nb", "'; DROP TABLE result; --", "%00", "%2e%2e", "{{7*7}}", "=cmd|' /C calc'!A1", "n\u0303" * 60, "\ufffe", "\u2028",
]  # fmt: skip
NUMBERS = [0, -0.0, 5e-324, 1e-300, 1.7e308, -1.7e308, -1, 2**63, 2**64, 1e20]
TEXTS = ["a", "a,b,c\n", "n1: x\n", "0.00049 1.5\n", "16.00 1234.5\n", "Numa node 0 1\n0 81.5 130.5\n", "[", "{", "<a>", "[[", "{\"a\":", "- ", "> ", "|a|b|\n", "\x1b[", "1 ", "\n", "Copy: 1.0 1.0 1.0 1.0\n"]
HEADS = ["", "Intel(R) Memory Latency Checker - v3.9\n", "bw_mem 18m rd\n", "{\"schema_version\": 2, \"machine\": \"", "[", "<?xml version=\"1.0\"?>\n<topology>"]
# Of these, a page may hold none as they are.
RAW = [chr(code) for code in (*range(0, 9), 11, 12, *range(14, 32), *range(0x7F, 0xA0), 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069)]


def places(value: object, path: tuple = ()) -> list[tuple]:
    """The place of every text and number in a document."""
    if isinstance(value, dict):
        return [place for key, part in value.items() for place in places(part, (*path, key))]
    if isinstance(value, list):
        return [place for rank, part in enumerate(value[:3]) for place in places(part, (*path, rank))]
    return [path]


def spoil(result: dict, chance: random.Random) -> None:
    """Changes a few values of a result."""
    all_places = places(result)
    for _ in range(chance.randrange(1, 5)):
        *way, last = chance.choice(all_places)
        holder = result
        for step in way:
            holder = holder[step]
        old = holder[last]
        holder[last] = chance.choice(NAMES if isinstance(old, str) else NUMBERS)


def results(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """Results with hostile names and extreme values: added, reported, served."""
    outcome = Outcome("hostile results", "each is refused in words or shown; no panic, no status 500, no control character on a page")
    draw = Results(chance)
    archive = folder / "hostile.sqlite"
    stored = 0
    with program.server("--archive", archive) as server:
        for trial in range(count):
            result = draw.of(chance.randrange(50), BEGIN)
            if chance.random() < 0.5:
                spoil(result, chance)
            else:
                result["machine"]["name"] = result["run"]["host"]["name"] = chance.choice(NAMES)
            file = folder / "hostile.json"
            file.write_text(json.dumps(result))
            status, _ = sent(server, result)
            stored += status == 200
            outcome.check(status in (200, 400, 413), f"trial {trial}: upload {status}")
            if trial % 10 == 0:
                shown = program.run("report", file, "-o", folder / "page.html", timeout=120)
                outcome.check(shown.is_answer, f"trial {trial}: report {shown.status} {shown.errors[:200]}")
        for target in pages(server.address):
            status, _ = status_of(server, target)
            outcome.check(status in (200, 202, 400, 404), f"{target[:80]}: {status}")
            if status == 200:
                with urllib.request.urlopen(server.address + target, timeout=120) as answer:
                    text = answer.read().decode()
                found = sorted({f"U+{ord(c):04X}" for c in RAW if c in text})
                outcome.check(not found, f"{target[:80]} holds {found}")
                outcome.check(len(text) < 30_000_000, f"{target[:80]} has {len(text)} bytes")
    outcome.seen = f"{stored} of {count} were taken"
    return outcome


def pages(address: str) -> list[str]:
    """Every page of an archive, and those of some machines and results."""
    with urllib.request.urlopen(f"{address}/api/v1/machines", timeout=60) as answer:
        machines = [machine["name"] for machine in json.loads(answer.read())["machines"]]
    with urllib.request.urlopen(f"{address}/api/v1/results?limit=40", timeout=60) as answer:
        ids = [result["id"] for result in json.loads(answer.read())["results"]]
    of_machines = [f"/history?machine={urllib.parse.quote(name, safe='')}" for name in machines[:60]]
    return ["/", "/results", "/changes", "/findings", "/fleet", "/metrics", *of_machines, *(f"/results/{one}" for one in ids)]


def texts(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """Texts of 60 kB to 4 MB of one pattern, sent to a server."""
    outcome = Outcome("texts that repeat one pattern", "each is answered, and the server stays")
    slowest = 0.0
    with program.server("--archive", folder / "texts.sqlite") as server:
        for trial in range(count):
            head, filler, length = chance.choice(HEADS), chance.choice(TEXTS), chance.choice([60_000, 400_000, 4_000_000])
            body = (head + filler * (length // len(filler))).encode()
            status, took = status_of(server, "/api/v1/results?machine=m", body)
            slowest = max(slowest, took / (len(body) / 1e6))
            outcome.check(status in (200, 400), f"trial {trial}: {status} after {took:.1f} s: {head[:20]!r} {filler!r} {length}")
            if server.process.poll() is not None:
                outcome.check(False, f"trial {trial}: the server ended with {server.process.returncode}")
                break
    outcome.seen = f"{slowest:.2f} s a megabyte at most"
    return outcome
