# What changes while zerohop measures, in a guest of two nodes with two CPUs each: a CPU goes offline, a cpuset loses its CPUs, a
# cpuset loses its memory. Whatever was measured before counts; nothing that was measured elsewhere does.
set -u

groups=/sys/fs/cgroup
echo +cpuset >$groups/cgroup.subtree_control

# Measures as $1 in a cpuset of all CPUs and nodes, and does the rest of the words when the first rounds are over.
during() {
    name=$1
    shift
    mkdir "$groups/$name"
    echo 0-3 >"$groups/$name/cpuset.cpus"
    echo 0-1 >"$groups/$name/cpuset.mems"
    # The interval is never reached, so that the budget is used up.
    (
        sh -c 'echo $PPID' >"$groups/$name/cgroup.procs"
        exec zerohop run latency-matrix --cpus 1,3 --buffer 4MiB --budget 8s --interval 0.000001% --format json \
            >"$OUT/$name.json" 2>"$OUT/$name.log"
    ) &
    sleep 5
    "$@"
    wait $!
    echo $? >"$OUT/$name.status"
}

write() { echo "$1" >"$2"; }

during offline write 0 /sys/devices/system/cpu/cpu3/online
write 1 /sys/devices/system/cpu/cpu3/online
during cpuset-cpus write 0-2 $groups/cpuset-cpus/cpuset.cpus
during cpuset-mems write 0 $groups/cpuset-mems/cpuset.mems
exit 0
