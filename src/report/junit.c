/* junit: the report as JUnit XML, which test dashboards show: a test case per kernel and one for the program's CUDA calls, failed by
 * their errors and warnings. */
#include "report/report.h"
#include "report/place.h"

#include <string.h>

/* Length of the UTF-8 sequence at s; 0: it is none. */
static size_t sequence(const unsigned char *s)
{
    size_t n = s[0] < 0x80                   ? 1
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
               : (s[0] & 0xf0) == 0xe0       ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    bool surrogate = n == 3 && s[0] == 0xed && s[1] >= 0xa0;
    bool overlong = (n == 3 && s[0] == 0xe0 && s[1] < 0xa0) || (n == 4 && s[0] == 0xf0 && s[1] < 0x90);
    bool beyond = n == 4 && s[0] == 0xf4 && s[1] >= 0x90;
    bool never = n == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe; /* U+FFFE, U+FFFF */
    return surrogate || overlong || beyond || never ? 0 : n;
}

/* Text of an element or attribute; what XML cannot hold becomes '?'. */
static void xml(lw_text *out, const char *text)
{
    static const char special[] = "&<>\"'\n\t";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#10;", "&#9;"};
    for (const unsigned char *c = (const unsigned char *)(text ? text : ""); *c;) {
        size_t n = sequence(c);
        const char *escape = strchr(special, *c);
        if (escape) lw_text_add(out, "%s", escapes[escape - special]);
        else if (!n || *c < 0x20 || *c == 0x7f) lw_text_append(out, "?", 1);
        else lw_text_append(out, (const char *)c, n);
        c += n ? n : 1;
    }
}

static bool counts(const result_finding *f) { return result_severities[result_severity_find(f->severity)].counts; }

/* NULL stands for what is no kernel's. */
static bool belongs(const result_finding *f, const char *kernel)
{
    return f->kernel && kernel ? !strcmp(f->kernel, kernel) : !f->kernel && !kernel;
}

static void failure(lw_text *out, const result_finding *f, const char *cwd)
{
    lw_text_add(out, "   <failure type=\"");
    xml(out, f->check);
    lw_text_add(out, "\" message=\"");
    xml(out, f->message);
    lw_text_add(out, "\">");
    xml(out, f->severity);
    if (f->file) lw_text_add(out, " at ");
    if (f->file) xml(out, report_place_file(cwd, f->file));
    if (f->file && f->line) lw_text_add(out, ":%u", f->line);
    for (size_t i = 0; i < f->related_count; i++) {
        lw_text_add(out, "&#10;");
        xml(out, f->related[i].message);
        if (!f->related[i].file) continue;
        lw_text_add(out, " at ");
        xml(out, report_place_file(cwd, f->related[i].file));
        lw_text_add(out, ":%u", f->related[i].line);
    }
    lw_text_add(out, "</failure>\n");
}

static void test_case(const result_set *set, const char *kernel, double seconds, const char *cwd, lw_text *out)
{
    lw_text_add(out, "  <testcase classname=\"lanewise\" name=\"");
    xml(out, kernel ? kernel : "CUDA calls");
    lw_text_add(out, "\" time=\"%.6f\">\n", seconds);
    for (size_t i = 0; i < set->findings.count; i++)
        if (counts(&set->findings.items[i]) && belongs(&set->findings.items[i], kernel))
            failure(out, &set->findings.items[i], cwd);
    lw_text_add(out, "  </testcase>\n");
}

/* Whether a kernel of this name stands before launch `end`, or a finding's before finding `end`. */
static bool launched_before(const result_set *set, size_t end, const char *name)
{
    for (size_t i = 0; i < end; i++)
        if (set->launches.items[i].kernel && !strcmp(set->launches.items[i].kernel, name)) return true;
    return false;
}

static bool found_before(const result_set *set, size_t end, const char *name)
{
    for (size_t i = 0; i < end; i++)
        if (belongs(&set->findings.items[i], name)) return true;
    return false;
}

/* Failing cases, not findings: that is what the attribute counts. */
static void cases(const result_set *set, const char *cwd, lw_text *out, size_t *count)
{
    test_case(set, NULL, 0, cwd, out);
    *count = 1;
    for (size_t i = 0; i < set->launches.count; i++) {
        const result_launch *l = &set->launches.items[i];
        double seconds = 0;
        if (!l->kernel || launched_before(set, i, l->kernel)) continue;
        for (size_t k = i; k < set->launches.count; k++) {
            const result_launch *other = &set->launches.items[k];
            if (other->kernel && !strcmp(other->kernel, l->kernel)) seconds += other->seconds;
        }
        test_case(set, l->kernel, seconds, cwd, out);
        ++*count;
    }
    for (size_t i = 0; i < set->findings.count; i++) { /* kernels that were not counted */
        const char *name = set->findings.items[i].kernel;
        if (!name || launched_before(set, set->launches.count, name) || found_before(set, i, name)) continue;
        test_case(set, name, 0, cwd, out);
        ++*count;
    }
}

static size_t failing_cases(const result_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < set->findings.count; i++) {
        const result_finding *f = &set->findings.items[i];
        bool known = !counts(f);
        for (size_t k = 0; k < i && !known; k++)
            known = counts(&set->findings.items[k]) && belongs(&set->findings.items[k], f->kernel);
        count += !known;
    }
    return count;
}

void report_junit(const result_set *set, const char *cwd, lw_text *out)
{
    lw_text body = {0};
    size_t count;
    cases(set, cwd, &body, &count);
    size_t failed = failing_cases(set);
    lw_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%zu\" failures=\"%zu\">\n", count,
                failed);
    lw_text_add(out, " <testsuite name=\"lanewise\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\">\n",
                count, failed);
    lw_text_append(out, body.data, body.size);
    lw_text_add(out, " </testsuite>\n</testsuites>\n");
    lw_text_free(&body);
}
