/* The test harness of tests/unit: one C file per room, no library.
 *
 *   #include "unit.h"
 *   UNIT_CASE(add_works) { CHECK_EQ_INT(1 + 1, 2); }
 *   UNIT_MAIN()                                     // once, at the end of the file
 *
 * Cases register themselves and run in the order they are written. A failed CHECK says where and goes on; a failed
 * REQUIRE leaves the case. Arguments of the program select the cases whose name contains one of them. The last line
 * printed is "N passed, N failed" (cases); the exit status is 0 only if none failed and at least one ran. Limits: one
 * thread may CHECK at a time; REQUIRE only directly in a case or in a function returning void. */
#ifndef LW_TESTS_UNIT_H
#define LW_TESTS_UNIT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit_case {
    const char *name;
    void (*run)(void);
};
static struct unit_case unit_cases[1024];
static int unit_case_count, unit_failures; /* unit_failures: failed checks of the running case */

__attribute__((unused)) static void unit_register(const char *name, void (*run)(void))
{
    if (unit_case_count == (int)(sizeof unit_cases / sizeof unit_cases[0])) {
        fprintf(stderr, "unit.h: too many cases\n");
        exit(2);
    }
    unit_cases[unit_case_count++] = (struct unit_case){name, run};
}

#define UNIT_CASE(name)                                                                                                \
    static void unit_case_##name(void);                                                                                \
    __attribute__((constructor)) static void unit_register_##name(void) { unit_register(#name, unit_case_##name); }    \
    static void unit_case_##name(void)

#define UNIT_FAIL(...)                                                                                                 \
    (unit_failures++, printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), (void)putchar('\n'))

#define CHECK(cond) ((cond) ? (void)0 : UNIT_FAIL("failed: %s", #cond))
#define REQUIRE(cond)                                                                                                  \
    do {                                                                                                               \
        if (!(cond)) {                                                                                                 \
            UNIT_FAIL("failed: %s", #cond);                                                                            \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)
/* got, expected: any integers, compared as long long. */
#define CHECK_EQ_INT(got, expected) unit_eq_int(__FILE__, __LINE__, #got, (long long)(got), (long long)(expected))
/* got, expected: texts; NULL equals only NULL. */
#define CHECK_STR(got, expected) unit_str(__FILE__, __LINE__, #got, (got), (expected))
/* The text got contains the text part. */
#define CHECK_HAS(got, part) unit_has(__FILE__, __LINE__, #got, (got), (part))
#define CHECK_NEAR(got, expected, tolerance) unit_near(__FILE__, __LINE__, #got, (got), (expected), (tolerance))

__attribute__((unused)) static void unit_eq_int(const char *file, int line, const char *what, long long got,
                                                long long want)
{
    if (got == want) return;
    unit_failures++;
    printf("%s:%d: %s is %lld (0x%llx), expected %lld (0x%llx)\n", file, line, what, got, (unsigned long long)got, want,
           (unsigned long long)want);
}

__attribute__((unused)) static void unit_str(const char *file, int line, const char *what, const char *got,
                                             const char *want)
{
    if (got == want || (got && want && !strcmp(got, want))) return;
    unit_failures++;
    printf("%s:%d: %s is \"%s\", expected \"%s\"\n", file, line, what, got ? got : "(NULL)", want ? want : "(NULL)");
}

__attribute__((unused)) static void unit_has(const char *file, int line, const char *what, const char *got,
                                             const char *part)
{
    if (got && strstr(got, part)) return;
    unit_failures++;
    printf("%s:%d: %s is \"%s\", expected to contain \"%s\"\n", file, line, what, got ? got : "(NULL)", part);
}

__attribute__((unused)) static void unit_near(const char *file, int line, const char *what, double got, double want,
                                              double tol)
{
    if (fabs(got - want) <= tol) return; /* false for NaN: fails */
    unit_failures++;
    printf("%s:%d: %s is %.17g, expected %.17g within %g\n", file, line, what, got, want, tol);
}

/* Path of a file below tests/ ("fuzz/corpus/x"), from the environment's LW_TESTS_DIR, the macro of that name, or the
 * current directory being the project's root. The result lives until the fourth next call. */
__attribute__((unused)) static const char *unit_path(const char *below_tests)
{
    static char paths[4][4096];
    static int next;
#ifdef LW_TESTS_DIR
    const char *root = LW_TESTS_DIR;
#else
    const char *root = "tests";
#endif
    if (getenv("LW_TESTS_DIR")) root = getenv("LW_TESTS_DIR");
    char *path = paths[next++ & 3];
    snprintf(path, sizeof paths[0], "%s/%s", root, below_tests);
    return path;
}

static int unit_selected(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i])) return 1;
    return argc <= 1;
}

static int unit_main(int argc, char **argv)
{
    int passed = 0, failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0); /* a crash must not swallow what was said before */
    for (int i = 0; i < unit_case_count; i++) {
        if (!unit_selected(unit_cases[i].name, argc, argv)) continue;
        unit_failures = 0;
        unit_cases[i].run();
        if (unit_failures) printf("FAILED %s\n", unit_cases[i].name);
        unit_failures ? failed++ : passed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}

#define UNIT_MAIN()                                                                                                    \
    int main(int argc, char **argv) { return unit_main(argc, argv); }

#endif
