"""A database that is killed, stopped or cut off while a server stands on it. Needs Debian's `postgresql`."""

import contextlib
import json
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .outcome import Outcome
from .program import Program, Server
from .results import BEGIN, Results

# What the server promises: an answer after a minute at most, and its end after ten seconds.
LONGEST_ANSWER = 60
LONGEST_END = 10


class Database:
    """A server of PostgreSQL in a folder, on a port of loopback."""

    def __init__(self, folder: Path) -> None:
        self._programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
        self._call("initdb", "-D", str(folder / "data"), "-U", "zerohop", "--auth", "trust", "--no-sync")
        self.start()
        self._call("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "zerohop", "zerohop")

    def _call(self, program: str, *words: str) -> None:
        command = [str(self._programs / program), *words]
        if os.getuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self._folder}"
        self._call("pg_ctl", "-D", str(self._folder / "data"), "-w", "-o", options, "-l", str(self._folder / "log"), "start")

    def kill(self) -> None:
        """Ends it at once, as a crash does."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self._call("pg_ctl", "-D", str(self._folder / "data"), "-m", "immediate", "stop")

    def signal(self, what: signal.Signals) -> None:
        """Sends a signal to all of its processes."""
        first = int((self._folder / "data/postmaster.pid").read_text().split()[0])
        children = subprocess.run(["pgrep", "-P", str(first)], stdout=subprocess.PIPE, text=True).stdout.split()
        for process in [first, *map(int, children)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, what)


class Link:
    """A way to a port that can be cut: what is sent then arrives nowhere, and nobody is told."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._is_cut = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, is_cut: bool = True) -> None:
        """Cuts it, or joins it again for new connections."""
        self._is_cut.set() if is_cut else self._is_cut.clear()

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self._to))
            for one, other in ((here, there), (there, here)):
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := one.recv(65536):
                if self._is_cut.is_set():
                    # Both ends stay open and hear nothing.
                    while self._is_cut.is_set():
                        time.sleep(0.05)
                    break
                other.sendall(part)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.close()

    def close(self) -> None:
        """Takes no more connections."""
        self._listener.close()


@contextlib.contextmanager
def database() -> Iterator[Database]:
    """A database, in a folder that its own user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="zerohop-pg-"))
    made = Database(folder)
    try:
        yield made
    finally:
        made.signal(signal.SIGCONT)
        made.kill()
        shutil.rmtree(folder)


def status_of(server: Server, target: str, body: bytes | None = None) -> tuple[int, float]:
    """The status of an answer, and how long it took; 0 if there was none."""
    begin = time.monotonic()
    request = urllib.request.Request(server.address + target, data=body)
    try:
        with urllib.request.urlopen(request, timeout=LONGEST_ANSWER + 30) as answer:
            answer.read()
            status = answer.status
    except urllib.error.HTTPError as error:
        status = error.code
    except OSError:
        status = 0
    return status, time.monotonic() - begin


def sent(server: Server, result: dict) -> tuple[int, float]:
    """The same of an upload."""
    return status_of(server, "/api/v1/results", json.dumps(result).encode())


def restarts(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """The database crashes and is started again."""
    outcome = Outcome("database killed and started again", "the next request is answered, the next upload is stored, nothing acknowledged is lost")
    draw = Results(chance)
    with database() as base:
        archive = f"postgresql://zerohop@127.0.0.1:{base.port}/zerohop"
        acknowledged = 0
        with program.server("--archive", archive) as server:
            for trial in range(count):
                acknowledged += sent(server, draw.of(0, BEGIN))[0] == 200
                # At once, so that the server opens several connections.
                with ThreadPoolExecutor(4) as askers:
                    list(askers.map(lambda rank: status_of(server, f"/api/v1/results?limit={rank}"), range(1, 9)))
                base.kill()
                if trial % 2 == 0:
                    meanwhile, _ = status_of(server, "/api/v1/results?limit=10")
                    outcome.check(meanwhile in (200, 503), f"trial {trial}: {meanwhile} while it is away")
                base.start()
                statuses = []
                for rank in range(4):
                    stored, _ = sent(server, draw.of(rank, BEGIN))
                    acknowledged += stored == 200
                    statuses += [stored, status_of(server, f"/api/v1/results?limit={20 + rank}")[0]]
                outcome.check(set(statuses) == {200}, f"trial {trial}: {statuses} once it is back")
        listed = program.run("archive", "list", "--all", "--format", "csv", "--archive", archive)
        outcome.check(listed.output.count("\n") - 1 == acknowledged, f"{listed.output.count(chr(10)) - 1} of {acknowledged} are there")
    outcome.seen = f"{acknowledged} results acknowledged"
    return outcome


def hangs(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """The database hangs (SIGSTOP), or the way to it is cut."""
    outcome = Outcome("database stopped (SIGSTOP) or cut off", f"requests are answered (503), SIGTERM ends the server within {LONGEST_END} s")
    draw = Results(chance)
    answers, ends = [], []
    with database() as base:
        for trial in range(count):
            link = Link(base.port)
            archive = f"postgresql://zerohop@127.0.0.1:{link.port}/zerohop"
            with program.server("--archive", archive) as server:
                sent(server, draw.of(trial, BEGIN))
                stop = trial % 2 == 0
                base.signal(signal.SIGSTOP) if stop else link.cut()
                status, took = sent(server, draw.of(trial, BEGIN))
                answers.append(took)
                outcome.check(status == 503, f"trial {trial}: {status} after {took:.1f} s")
                ended = server.end(LONGEST_END + 20)
                ends.append(ended or LONGEST_END + 20)
                outcome.check(ended is not None and ended <= LONGEST_END + 1, f"trial {trial}: it ended after {ended} s")
                base.signal(signal.SIGCONT) if stop else link.cut(False)
            link.close()
    outcome.seen = f"answers after {max(answers, default=0):.0f} s at most, ends after {max(ends, default=0):.1f} s at most"
    return outcome


def locked(program: Program, count: int, chance: random.Random, folder: Path) -> Outcome:
    """Another program holds SQLite's lock."""
    import sqlite3

    outcome = Outcome("SQLite's lock held by another program", f"SIGTERM ends the server within {LONGEST_END} s")
    draw = Results(chance)
    ends = []
    for trial in range(count):
        archive = folder / f"locked-{trial}.sqlite"
        with program.server("--archive", archive) as server:
            sent(server, draw.of(0, BEGIN))
            other = sqlite3.connect(archive, isolation_level=None)
            other.execute("BEGIN EXCLUSIVE")
            waiting = threading.Thread(target=sent, args=(server, draw.of(1, BEGIN)))
            waiting.start()
            time.sleep(0.3)
            ended = server.end(LONGEST_END + 20)
            ends.append(ended or LONGEST_END + 20)
            outcome.check(ended is not None and ended <= LONGEST_END + 1, f"trial {trial}: it ended after {ended} s")
            other.execute("ROLLBACK")
            other.close()
        waiting.join()
    outcome.seen = f"ends after {max(ends, default=0):.1f} s at most"
    return outcome
