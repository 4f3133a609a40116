"""zerohop and other tools, run in turn on one machine."""
