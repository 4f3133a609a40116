"""zerohop as trials run it: to its end, or until it is killed."""

import contextlib
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Exit statuses that are answers: done, gate failed, user's or host's error, cannot tell, interrupted.
ANSWERS = {0, 1, 2, 3, 130}


@dataclass(frozen=True)
class Answer:
    """How a program ended."""

    status: int
    output: str
    errors: str

    @property
    def is_answer(self) -> bool:
        """Whether it ended as it should, be it with an error: no panic, no signal."""
        return self.status in ANSWERS and "because of a bug" not in self.errors


class Program:
    """zerohop in a folder of its own, with an archive of its own."""

    def __init__(self, path: Path, folder: Path, environment: dict[str, str] | None = None) -> None:
        self.path = path.resolve()
        self._folder = folder
        own = {"ZEROHOP_ARCHIVE": str(folder / "archive.sqlite"), "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "NO_COLOR": "1"}
        self.environment = {**os.environ, **own, **(environment or {})}

    def with_environment(self, **changed: str) -> "Program":
        """The same, with other variables."""
        return Program(self.path, self._folder, {**self.environment, **changed})

    def start(self, *arguments: object, **options: object) -> subprocess.Popen:
        """Starts it, in a session of its own."""
        command = [str(self.path), *map(str, arguments)]
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | options
        return subprocess.Popen(command, cwd=self._folder, env=self.environment, start_new_session=True, **options)

    def run(self, *arguments: object, timeout: float = 600) -> Answer:
        """Runs it to its end."""
        process = self.start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="surrogateescape")
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            kill_all(process)
            output, errors = process.communicate()
            return Answer(-1, output, f"no end after {timeout:.0f} s\n{errors}")
        return Answer(process.returncode, output, errors)

    def killed(self, chance: random.Random, longest: float, *arguments: object) -> bool:
        """Runs it, and kills it and all that it started after a random time. Whether it was killed before its end."""
        process = self.start(*arguments)
        try:
            process.wait(timeout=chance.uniform(0.0, longest))
        except subprocess.TimeoutExpired:
            kill_all(process)
            return True
        return False

    @contextlib.contextmanager
    def server(self, *arguments: object) -> Iterator["Server"]:
        """`zerohop serve` on a port of its own."""
        server = Server(self, *arguments)
        try:
            yield server
        finally:
            server.kill()


class Server:
    """A server that listens on loopback."""

    def __init__(self, program: Program, *arguments: object) -> None:
        command = ("serve", "--listen", "127.0.0.1:0", *arguments)
        self.process = program.start(*command, stderr=subprocess.PIPE, text=True)
        said = ""
        while line := self.process.stderr.readline():
            said += line
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                return
        raise SystemExit(f"the server says: {said}")

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def memory(self) -> float:
        """What it holds in memory, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024 / 1e6

    def end(self, timeout: float) -> float | None:
        """Asks it to end, and says how many seconds that took; None if it did not end in time."""
        begin = time.monotonic()
        self.process.terminate()
        try:
            self.process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            return None
        return time.monotonic() - begin

    def kill(self) -> None:
        """Kills it."""
        kill_all(self.process)
        if self.process.stderr:
            self.process.stderr.close()


def kill_all(process: subprocess.Popen) -> None:
    """Kills a program and all that it started in its session, as the end of a machine would."""
    members = [process.pid]
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[3]) == process.pid:
                members.append(int(stat.parent.name))
    for member in members:
        with contextlib.suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)
    process.wait()
