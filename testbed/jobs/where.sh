# Where pages are, in a guest of two nodes with two CPUs each: of a process on the second node, and of a file that comes into the
# page cache on the first node and is then placed elsewhere, three times.
set -u

mkdir /tmp/files
mount -t tmpfs files /tmp/files
file=/tmp/files/weights
taskset -c 0 dd if=/dev/zero of=$file bs=1M count=48 2>/dev/null

look() {
    name=$1
    shift
    zerohop "$@" --format json >"$OUT/$name.json" 2>"$OUT/$name.log"
    echo $? >"$OUT/$name.status"
}

look first where $file
look interleaved place $file --interleave
look second-node place $file --nodes 1
look weighted place $file --nodes 0,1 --weights 3,1
look last where $file
look absent-node place $file --nodes 4

# A file that is not cached yet comes from the disk to where it should be; here it comes from a file of the same file system.
# On a busy host, a guest takes many seconds until the process has its memory.
taskset -c 2 sh -c 'x=$(head -c 24000000 /dev/zero | tr "\0" a); : >/tmp/filled; while :; do :; done' &
process=$!
until [ -e /tmp/filled ]; do sleep 1; done
look process where $process
zerohop where $process --watch=1s >"$OUT/watch.txt" 2>"$OUT/watch.log" &
watch=$!
sleep 4
kill $!
wait $watch
echo $? >"$OUT/watch.status"
exit 0
