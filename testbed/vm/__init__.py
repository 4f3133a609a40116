"""A small virtual machine with the NUMA topology that a file describes."""
