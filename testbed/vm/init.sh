#!/bin/busybox sh
# The first program of the guest: makes it a machine, runs /job, hands back what came out, and switches it off.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp TERM=dumb
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t cgroup2 cgroup /sys/fs/cgroup
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /tmp /out
mount -t tmpfs tmp /tmp
mount -t tmpfs out /out
echo 1 >/proc/sys/kernel/printk
for module in $(cat /modules/order); do insmod "/modules/$module"; done

# The file of a port. The driver finds its ports in the background, the last of them last.
port() {
    while true; do
        for entry in /sys/class/virtio-ports/*; do
            [ ! -e "$entry" ] || [ "$(cat "$entry/name")" != "$1" ] || [ ! -e "/dev/${entry##*/}" ] || {
                echo "/dev/${entry##*/}"
                return
            }
        done
        sleep 0.05
    done
}

for cpu in $(cat /offline-cpus); do echo 0 >"/sys/devices/system/cpu/cpu$cpu/online"; done
cd /tmp || exit
OUT=/out /bin/busybox sh /job </dev/null >"$(port stdout)" 2>"$(port stderr)"
status=$?
# No files, no archive: a port that was never written to is an empty file outside.
[ -z "$(ls -A /out)" ] || tar -c -C /out . >"$(port files)"
echo "$status $(cut -d' ' -f1 /proc/uptime)" >"$(port status)"
poweroff -f
