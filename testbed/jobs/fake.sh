# Nodes that the kernel makes up.
set -u
zerohop machine show --format json >"$OUT/machine.json"
zerohop machine show >"$OUT/machine.txt"
zerohop run latency-matrix --buffer 4MiB --budget 2s --format json >"$OUT/matrix.json"
exit 0
