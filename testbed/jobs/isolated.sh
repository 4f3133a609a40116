# CPUs that the kernel isolates, in a guest of two nodes with two CPUs each of which the second has isolated ones.
set -u
zerohop machine show >"$OUT/machine.txt"
zerohop run latency-matrix --buffer 4MiB --budget 6s --format json >"$OUT/others.json"
zerohop run latency-matrix --cpus 3 --buffer 4MiB --budget 6s 2>"$OUT/refused.log"
taskset -c 2-3 zerohop run latency-matrix --cpus 3 --buffer 4MiB --budget 6s --format json >"$OUT/isolated.json"
exit 0
