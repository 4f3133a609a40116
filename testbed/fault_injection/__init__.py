"""Faults that `testbed/faults` injects, and the promises that must hold meanwhile."""
