/* check: finds the bugs that memory access hides. Each check is a client of events (event/event.h) with a row of
 * checks.def; the host room names the clients in its clients.def. */
#ifndef LW_CHECK_CHECK_H
#define LW_CHECK_CHECK_H

#include "event/event.h"

typedef enum check_id {
#define CHECK_ROW(ID, name, in_all, meaning) CHECK_##ID,
#include "check/checks.def"
#undef CHECK_ROW
    CHECK_COUNT
} check_id;

typedef struct check_row {
    const char *name, *meaning;
    bool in_all;
} check_row;
extern const check_row check_rows[CHECK_COUNT];

/* What is checked, for a whole process. A client's session finds it in event_session.checks. */
typedef struct check_options {
    uint32_t set;      /* bit check_id */
    bool init_at_load; /* initcheck reports where undefined memory is read, not where it is used */
} check_options;

static inline bool check_wanted(const check_options *options, check_id id)
{
    return options && (options->set >> id & 1);
}

/* "all", or names of checks separated by commas ("memcheck,racecheck"): the set of their bits. LW_INVALID_ARGUMENT with
 * a message that lists the names. error may be NULL. */
lw_status check_parse(const char *text, uint32_t *out_set, lw_error *error);

#endif
