"""What a series of trials came to, as a row of a table."""

from dataclasses import dataclass, field


@dataclass
class Outcome:
    """Trials of one promise."""

    fault: str
    promise: str
    trials: int = 0
    broken: list[str] = field(default_factory=list)
    # What was seen beside the promise, in words.
    seen: str = ""

    def check(self, holds: bool, words: str) -> bool:
        """Counts a trial. `words` say what is wrong if the promise does not hold."""
        self.trials += 1
        if not holds:
            self.broken.append(words)
        return holds

    def row(self) -> str:
        """As a row of Markdown."""
        kept = self.trials - len(self.broken)
        return f"| {self.fault} | {self.promise} | {kept} of {self.trials} | {self.seen} |"


HEAD = ["| fault | promise | kept | seen |", "|---|---|--:|---|"]
