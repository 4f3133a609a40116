/* Touches memory as a program of several threads does, and prints where its threads and its pages are: the witness for lines that
 * `zerohop advise placement` prints.
 *
 *   program private|shared|mbind MIB OUTPUT
 *
 * private: every thread touches a part of its own. shared: the first thread touches all of it. mbind: the same, after the line of
 * C in `line.h`. OUTPUT gets JSON; then the program waits for the end of its input. */

#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/mempolicy.h>

#define PAGE 4096UL
#define MOST_NODES 64

static long mbind(void *start, unsigned long bytes, int mode, const unsigned long *nodes, unsigned long bits, unsigned flags)
{
    return syscall(SYS_mbind, start, bytes, mode, nodes, bits, flags);
}

static void place(char *data, unsigned long bytes)
{
    (void)mbind;
#include "line.h"
    (void)data;
    (void)bytes;
}

static void print_pages(FILE *out, char *data, unsigned long bytes)
{
    unsigned long on[MOST_NODES] = {0}, absent = 0;
    for (unsigned long at = 0; at < bytes; at += PAGE) {
        void *page = data + at;
        int node = -1;
        syscall(SYS_move_pages, 0, 1UL, &page, NULL, &node, 0);
        if (node >= 0 && node < MOST_NODES)
            on[node]++;
        else
            absent++;
    }
    fprintf(out, "{");
    for (int node = 0; node < MOST_NODES; node++)
        if (on[node])
            fprintf(out, "\"%d\": %lu, ", node, on[node]);
    fprintf(out, "\"absent\": %lu}", absent);
}

static void print_cpus(FILE *out)
{
    cpu_set_t allowed;
    const char *gap = "";
    sched_getaffinity(0, sizeof allowed, &allowed);
    fprintf(out, "[");
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed)) {
            fprintf(out, "%s%d", gap, cpu);
            gap = ", ";
        }
    fprintf(out, "]");
}

static char *memory(unsigned long bytes)
{
    char *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        exit(3);
    /* A huge page would hide that small ones are interleaved. */
    madvise(data, bytes, MADV_NOHUGEPAGE);
    return data;
}

int main(int count, char **words)
{
    if (count != 4)
        return 2;
    unsigned long bytes = strtoul(words[2], NULL, 10) << 20;
    int is_private = !strcmp(words[1], "private");
    char *shared = is_private ? NULL : memory(bytes);
    if (!strcmp(words[1], "mbind"))
        place(shared, bytes);
    if (shared)
        memset(shared, 1, bytes);
    FILE *out = fopen(words[3], "w");
    if (!out)
        return 3;
    fprintf(out, "{\"process\": %d, \"threads\": [", getpid());
    const char *gap = "";
#pragma omp parallel
    {
        unsigned long part = bytes / omp_get_num_threads() / PAGE * PAGE;
        char *own = is_private ? memory(part) : NULL;
        unsigned node = 0;
        if (own)
            memset(own, 1, part);
        syscall(SYS_getcpu, NULL, &node, NULL);
#pragma omp barrier
#pragma omp critical
        {
            fprintf(out, "%s{\"node\": %u, \"cpus\": ", gap, node);
            print_cpus(out);
            if (own) {
                fprintf(out, ", \"pages\": ");
                print_pages(out, own, part);
            }
            fprintf(out, "}");
            gap = ", ";
        }
    }
    fprintf(out, "]");
    if (shared) {
        fprintf(out, ", \"pages\": ");
        print_pages(out, shared, bytes);
    }
    fprintf(out, "}\n");
    fclose(out);
    while (getchar() != EOF)
        ;
    return 0;
}
