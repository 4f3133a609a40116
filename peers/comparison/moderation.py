"""Intervals of recorded rounds as zerohop makes them now: the variance of a cell is moderated by those of the run.

The same as `crates/statistics` and `crates/experiment/src/scatters.rs`, written a second time so that records of earlier versions, which hold the
rounds of each cell, can be asked how today's intervals would have done on them.
"""

import math
from statistics import mean, median, variance

MOST_BATCHES = 8
MEDIAN_OVER_MEAN = 1.15
MOST_CORRELATED = 0.7
FEWEST = 4
DRIFT = 0.025
DRIFT_OF_ROUNDS = 1.0


def interval(run: list[dict]) -> None:
    """Replaces the interval of each cell of a run by today's, from its rounds."""
    cells = [(cell, batches([math.log(value) for value in cell["rounds"]])) for cell in run if len(cell["rounds"]) > 1]
    usual = scatter([own for _, own in cells])
    correlation = together([own for _, own in cells])
    for kind in (True, False):
        of_kind = [(cell, own) for cell, own in cells if ("bandwidth" in cell["key"]) == kind]
        prior = scatter([own for _, own in of_kind]) or usual
        for cell, own in of_kind:
            degrees, spread = len(own) - 1, variance(own)
            if prior:
                counts, common = prior
                spread = common if math.isinf(counts) else (counts * common + degrees * spread) / (counts + degrees)
                degrees = min(counts + degrees, 1e6)
            error = MEDIAN_OVER_MEAN * math.sqrt(spread / len(own) * (1 + correlation) / (1 - correlation))
            drift = max(DRIFT, DRIFT_OF_ROUNDS * math.sqrt(spread))
            half = math.hypot(student(degrees) * error, 1.96 * drift)
            center = median(own)
            cell["median"], cell["low"], cell["high"] = (math.exp(center + by * half) for by in (0, -1, 1))


def batches(logs: list[float]) -> list[float]:
    """Medians of neighbors, those beyond Tukey's outer fences moved to the fences."""
    count = min(len(logs), MOST_BATCHES)
    own = [median(logs[batch * len(logs) // count : (batch + 1) * len(logs) // count]) for batch in range(count)]
    lower, upper = quantile(own, 0.25), quantile(own, 0.75)
    reach = 3 * (upper - lower)
    return [min(max(one, lower - reach), upper + reach) for one in own]


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    return ordered[below] + (ordered[math.ceil(place)] - ordered[below]) * (place - below)


def scatter(cells: list[list[float]]) -> tuple[float, float] | None:
    """Degrees of freedom and size of the usual variance (Smyth 2004, section 6.2)."""
    if len(cells) < FEWEST:
        return None
    least = 1e-5 * median(variance(own) for own in cells)
    if least <= 0:
        return None
    half = lambda own: (len(own) - 1) / 2
    logs = [math.log(max(variance(own), least)) - digamma(half(own)) + math.log(half(own)) for own in cells]
    differing = variance(logs) - mean(trigamma(half(own)) for own in cells)
    if differing <= 0:
        return math.inf, math.exp(mean(logs))
    low, high = 1e-8, 1e8
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if trigamma(middle) > differing else (low, middle)
    return 2 * high, math.exp(mean(logs) + digamma(high) - math.log(high))


def together(cells: list[list[float]]) -> float:
    """The correlation of neighbors in all cells (Kendall 1954)."""
    raw, count = [], []
    for own in cells:
        center = mean(own)
        squares = sum((one - center) ** 2 for one in own)
        if squares > 0:
            raw.append(sum((one - center) * (other - center) for one, other in zip(own, own[1:])) / squares)
            count.append(len(own))
    if not raw:
        return 0.0
    return min(max((mean(count) * mean(raw) + 1) / max(mean(count) - 3, 1), 0.0), MOST_CORRELATED)


def digamma(x: float) -> float:
    total = 0.0
    while x < 10:
        total, x = total - 1 / x, x + 1
    square = 1 / (x * x)
    return total + math.log(x) - 0.5 / x - square * (1 / 12 - square * (1 / 120 - square / 252))


def trigamma(x: float) -> float:
    total = 0.0
    while x < 10:
        total, x = total + 1 / (x * x), x + 1
    square = 1 / (x * x)
    return total + 1 / x + square / 2 + square / x * (1 / 6 - square * (1 / 30 - square / 42))


def student(degrees: float) -> float:
    """The 97.5 % quantile of Student's t, by its expansion in the degrees of freedom (Abramowitz and Stegun 26.7.5)."""
    z = 1.959964
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / degrees ** (power + 1) for power, term in enumerate(terms))
