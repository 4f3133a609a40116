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

# Threads in each other's way, with one CPU of each node: by whose memory one uses, two that use each other's, and more
# and more of them. A topology that cannot have one of these is not asked for it.
for experiment in $SHARING; do
    zerohop run "$experiment" --cpus "$ONE_CPU_EACH" --buffer 4MiB --budget 3s --format json \
        >"$OUT/$experiment.json"
done
# The chase needs a CPU beside that of the load.
if [ -n "$FAR_LOAD" ]; then
    zerohop run loaded-latency --load remote --nodes "$FAR_LOAD" --buffer 8MiB --budget 2s --format json \
        >"$OUT/far-load.json"
fi

# One experiment again where only one node is allowed.
cpuset=/sys/fs/cgroup/check
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir "$cpuset"
echo "$CPUSET_CPUS" >"$cpuset/cpuset.cpus"
echo "$CPUSET_MEMS" >"$cpuset/cpuset.mems"
echo $$ >"$cpuset/cgroup.procs"
zerohop run latency-matrix --buffer 8MiB --budget 2s --format json >"$OUT/confined.json"
