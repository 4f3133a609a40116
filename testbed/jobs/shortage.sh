# What is short, in a guest of two nodes with two CPUs each: huge pages, memory of one node, memory and threads of the control group, CPU
# time, files of /sys.
set -u

groups=/sys/fs/cgroup
echo "+memory +cpu +hugetlb +pids" >$groups/cgroup.subtree_control

measure() {
    name=$1
    shift
    zerohop "$@" --format json >"$OUT/$name.json" 2>"$OUT/$name.log"
    echo $? >"$OUT/$name.status"
}

# Runs the rest of the words in the control group $1.
inside() {
    group=$groups/$1
    shift
    (
        sh -c 'echo $PPID' >"$group/cgroup.procs"
        "$@"
    )
}

thp=/sys/kernel/mm/transparent_hugepage/enabled
echo never >$thp
measure never run latency-matrix --cpus 1,3 --buffer 8MiB --budget 8s
echo madvise >$thp

# Reserved pages on one node only.
pool=/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages
echo 8 >$pool
measure reserved run latency-matrix --cpus 1,3 --pages 2m --buffer 8MiB --budget 8s

# Reserved pages that are free and cannot be had: another program has a claim to them, or the control group allows none.
echo 16 >$pool
mkdir /tmp/claimed
mount -t hugetlbfs -o pagesize=2M,min_size=28M claimed /tmp/claimed
measure promised run latency-matrix --cpus 1,3 --nodes 0 --buffer 8MiB --budget 4s
umount /tmp/claimed
mkdir $groups/small-pages
echo 0 >$groups/small-pages/hugetlb.2MB.max
inside small-pages measure forbidden run latency-matrix --cpus 1,3 --nodes 0 --buffer 8MiB --budget 4s
echo 0 >$pool

mkdir $groups/small
echo 48M >$groups/small/memory.max
inside small measure limited run latency-matrix --cpus 1,3 --budget 8s

# Above this amount, the kernel lets processes sleep.
mkdir $groups/throttled
echo 48M >$groups/throttled/memory.high
inside throttled measure throttled run latency-matrix --cpus 1,3 --budget 8s

# A few threads: crews cannot all wait for their next visit.
mkdir $groups/few
echo 12 >$groups/few/pids.max
inside few measure few run loaded-latency --nodes 1 --buffer 8MiB --budget 15s

mkdir $groups/slow
echo "50000 100000" >$groups/slow/cpu.max
inside slow measure quota run bandwidth-matrix --nodes 1 --buffer 8MiB --budget 8s

# All of node 1 but what its kernel keeps; what does not fit goes to node 0, or something would be killed for it.
free=$(sed -n 's/.*MemFree: *\([0-9]*\) kB/\1/p' /sys/devices/system/node/node1/meminfo)
mkdir /tmp/full
mount -t tmpfs -o "mpol=prefer:1,size=$free"k full /tmp/full
dd if=/dev/zero of=/tmp/full/file bs=64k count=$(((free - 2048) / 64)) 2>/dev/null
measure full-matrix run bandwidth-matrix --cpus 1,3 --buffer 4MiB --budget 8s
measure full run bandwidth-matrix --cpus 1,3 --budget 6s
measure full-stream run stream --cpus 1,3 --budget 8s

# Without /sys, all CPUs count as node 0's.
umount -l /sys
measure hidden run latency-matrix --cpus 1,3 --buffer 8MiB --budget 4s
measure hidden-far run latency-matrix --cpus 3 --buffer 8MiB --budget 4s
mount -t sysfs sysfs /sys
exit 0
