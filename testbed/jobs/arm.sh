# An Arm guest: what its processor is called, and that all of it is measured although no caches are described.
set -eu
zerohop machine show --format json >"$OUT/machine.json"
zerohop machine show >"$OUT/machine.txt"
zerohop survey --quick --buffer 4MiB --budget 8s --format json -o /tmp/survey >"$OUT/survey.json"
