# What `check` runs in each guest. Guests have 256 MiB a node: buffers are small, and so is the budget of time, as
# emulated numbers mean nothing.
set -eu

zerohop machine show --format json >"$OUT/machine.json"
zerohop machine capture -o "$OUT/capture.json"
zerohop machine export -o "$OUT/machine.xml"
zerohop survey --quick --buffer 8MiB --budget "$BUDGET" --format json -o /tmp/survey >"$OUT/survey.json"

# On small pages there are many to look at. With one CPU of each node no worker waits for another.
zerohop run bandwidth-matrix --cpus "$ONE_CPU_EACH" --pages 4k --buffer 8MiB --budget 2s --format json \
    >"$OUT/small-pages.json"

# One experiment again where only one node is allowed.
cpuset=/sys/fs/cgroup/check
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir "$cpuset"
echo "$CPUSET_CPUS" >"$cpuset/cpuset.cpus"
echo "$CPUSET_MEMS" >"$cpuset/cpuset.mems"
echo $$ >"$cpuset/cgroup.procs"
zerohop run latency-matrix --buffer 8MiB --budget 2s --format json >"$OUT/confined.json"
