// A plain random chase, to hold zerohop's latency to: one cycle by Sattolo's algorithm over a buffer on transparent huge
// pages, with a node every SPACING bytes. It shares nothing with zerohop, neither code nor order of visits.
//
// usage: chase BYTES SPACING CPU SECONDS SEED
// prints: {"latency_ns": …, "huge_share": …, "steps": …}
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { HUGE_PAGE = 2 << 20, STEPS_BETWEEN_LOOKS = 1 << 16 };

static uint64_t state;

// xorshift64* (Vigna 2016, https://arxiv.org/abs/1402.6246)
static uint64_t random_below(uint64_t bound) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint64_t)(((unsigned __int128)(state * 0x2545F4914F6CDD1D) * bound) >> 64);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// Share of the mapping at `start` that huge pages back.
static double huge_share(const char *start, size_t size) {
    FILE *maps = fopen("/proc/self/smaps", "r");
    if (!maps) fail("smaps");
    char line[512];
    unsigned long low, high, kilobytes = 0;
    int inside = 0;
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &low, &high) == 2) inside = (uintptr_t)start >= low && (uintptr_t)start < high;
        if (inside && sscanf(line, "AnonHugePages: %lu kB", &kilobytes) == 1) break;
    }
    fclose(maps);
    double share = (double)kilobytes * 1024 / (double)size;
    return share < 1 ? share : 1;
}

int main(int count, char **arguments) {
    if (count != 6) {
        fprintf(stderr, "usage: chase BYTES SPACING CPU SECONDS SEED\n");
        return 2;
    }
    size_t size = strtoull(arguments[1], NULL, 0) / HUGE_PAGE * HUGE_PAGE;
    size_t spacing = strtoull(arguments[2], NULL, 0), nodes = size / spacing;
    double limit = atof(arguments[4]);
    state = strtoull(arguments[5], NULL, 0) * 2 + 1;

    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(atoi(arguments[3]), &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus)) fail("sched_setaffinity");

    char *mapping = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) fail("mmap");
    char *buffer = (char *)(((uintptr_t)mapping + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (madvise(buffer, size, MADV_HUGEPAGE)) fail("madvise");

    uint32_t *next = malloc(nodes * sizeof *next);
    if (!next) fail("malloc");
    for (size_t i = 0; i < nodes; i++) next[i] = (uint32_t)i;
    for (size_t i = nodes - 1; i > 0; i--) {
        size_t other = random_below(i);
        uint32_t swap = next[i];
        next[i] = next[other];
        next[other] = swap;
    }
    for (size_t i = 0; i < nodes; i++) *(void **)(buffer + i * spacing) = buffer + (size_t)next[i] * spacing;
    free(next);

    void **node = (void **)buffer;
    // A first part goes by unmeasured: clocks and caches settle.
    uint64_t steps = 0;
    double begin = seconds(), warm = begin + limit / 10, end = 0;
    while (seconds() < warm)
        for (int i = 0; i < STEPS_BETWEEN_LOOKS; i++) node = *node;
    begin = seconds();
    do {
        for (int i = 0; i < STEPS_BETWEEN_LOOKS; i += 8) {
            node = *node; node = *node; node = *node; node = *node;
            node = *node; node = *node; node = *node; node = *node;
        }
        steps += STEPS_BETWEEN_LOOKS;
        end = seconds();
    } while (end - begin < limit);

    // Printing where it ended keeps the compiler from dropping the walk.
    fprintf(stderr, "ended at node %zu\n", (size_t)((char *)node - buffer) / spacing);
    printf("{\"latency_ns\": %.3f, \"huge_share\": %.4f, \"steps\": %llu}\n", (end - begin) / (double)steps * 1e9,
           huge_share(buffer, size), (unsigned long long)steps);
    return 0;
}
