# Many nodes: all of them are read, and some are measured.
set -eu
zerohop machine show --format json >"$OUT/machine.json"
zerohop machine show >"$OUT/machine.txt"
zerohop run latency-matrix --nodes 0,5,16,31 --buffer 2MiB --budget 4s --format json >"$OUT/matrix.json"
