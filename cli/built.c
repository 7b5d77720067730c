/* built: what a build left behind. After `lanewise build` the programs and shared objects below the current directory
 * that are newer than its start are looked at; one that cannot attach is named with the line that mends it. A build
 * that calls nvcc by its full path and asks for machine code alone gets no PTX added, for example. Limits: what is
 * written elsewhere is not seen (but for Bazel's bazel-bin), hidden folders are left out, and a large tree is not read to its end. */
#include "cli.h"

#include <fts.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 50000, MOST_WARNINGS = 5 };

static bool is_newer(const struct stat *s, const struct timespec *start)
{
    return s->st_mtim.tv_sec > start->tv_sec ||
           (s->st_mtim.tv_sec == start->tv_sec && s->st_mtim.tv_nsec >= start->tv_nsec);
}

static bool is_result(const FTSENT *e, const struct timespec *start)
{
    bool loadable = (e->fts_statp->st_mode & S_IXUSR) || strstr(e->fts_name, ".so");
    return e->fts_info == FTS_F && loadable && is_newer(e->fts_statp, start);
}

void warn_of_built(const struct timespec *start, const char *libraries)
{
    char here[] = ".";
    char *const roots[] = {here, NULL};
    lw_device_info device;
    lw_message message = {""};
    int files = 0, warnings = 0;
    if (lw_device_find(NULL, &device, &message)) return;
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!tree) return;
    for (FTSENT *e; warnings < MOST_WARNINGS && files < MOST_FILES && (e = fts_read(tree)); files++) {
        if (e->fts_info == FTS_D && e->fts_level > 0 && e->fts_name[0] == '.') fts_set(tree, e, FTS_SKIP);
        if (e->fts_info == FTS_SL && e->fts_level == 1 && !strcmp(e->fts_name, "bazel-bin"))
            fts_set(tree, e, FTS_FOLLOW);
        if (!is_result(e, start) || lw_program_check(e->fts_path, &device, libraries, &message) != LW_PROGRAM_REFUSED)
            continue;
        say("warning: %s", message.text);
        warnings++;
    }
    fts_close(tree);
}
