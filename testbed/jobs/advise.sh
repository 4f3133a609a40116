# Lines of advice, in a guest with the four nodes of the machine that they are for: each starts a small program, which prints where
# its threads and pages are; zerohop and the kernel say where they see them.
#
# /in/lines has a row for each: its name, what the program does, the number of threads, and the line.
set -u

mkdir /tmp/work
cd /tmp/work || exit 1
mkfifo hold
chmod +x /in/ld-linux-x86-64.so.2

while IFS='	' read -r name kind threads line; do
    rm -f seen.json
    cp "/bin/program-$kind" program
    word=${kind%%-*}
    # Variables come first in a line, as in a shell.
    echo "$line $word 16 seen.json" >run.sh
    OMP_NUM_THREADS=$threads sh run.sh <hold 2>"$OUT/$name.log" &
    started=$!
    exec 9>hold
    tries=0
    until grep -q '}$' seen.json 2>/dev/null || [ $tries = 60 ]; do
        sleep 0.5
        tries=$((tries + 1))
    done
    cp seen.json "$OUT/$name.json" 2>/dev/null
    process=$(sed 's/.*"process": \([0-9]*\).*/\1/' seen.json)
    zerohop where "$process" --format json >"$OUT/$name.where.json" 2>>"$OUT/$name.log"
    cat "/proc/$process/numa_maps" >"$OUT/$name.numa_maps"
    case $name in
    *before-moving)
        # What runs already: threads and pages are moved.
        sed "s/PID/$process/g" /in/moving >moving.sh
        sh moving.sh >"$OUT/moving.log" 2>&1
        echo $? >"$OUT/moving.status"
        zerohop where "$process" --format json >"$OUT/moved.where.json" 2>>"$OUT/$name.log"
        # Threads that wait have not run since: where they may run says where they will.
        grep -h Cpus_allowed_list "/proc/$process"/task/*/status >"$OUT/moved.cpus"
        ;;
    esac
    exec 9>&-
    wait $started
done </in/lines
exit 0
