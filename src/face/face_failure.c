/* The end of a call: what failed becomes a finding, with the call's name and number and the place it came from. */
#include <stdio.h>
#include <string.h>

#include "face/face.h"

/* ---- how often a thread has called what: a table by the address of the function's name ---- */
#define CALL_SLOTS 2048 /* a power of two well above the entry points of both faces */
typedef struct call_count {
    const char *function; /* NULL: free */
    uint64_t calls;
} call_count;

static uint64_t count_call(host_thread *t, const char *function)
{
    if (!t->calls) t->calls = lw_alloc(CALL_SLOTS * sizeof(call_count));
    call_count *slots = t->calls;
    size_t at = ((uintptr_t)function >> 3) % CALL_SLOTS;
    for (size_t tried = 0; tried < CALL_SLOTS; tried++, at = (at + 1) % CALL_SLOTS) {
        if (!slots[at].function) slots[at].function = function;
        if (slots[at].function == function) return ++slots[at].calls;
    }
    return 0;
}

/* ---- what is no failure ---- */
/* Errors that are the answer to a question, or say that what is asked for is so already. */
static bool is_answer(host_error error) { return error == HOST_NOT_READY || error == HOST_PEER_ACCESS_ALREADY_ENABLED; }

static const face_entry *find_entry(const face_book *book, const char *symbol)
{
    for (size_t i = 0; i < book->count; i++)
        if (!strcmp(book->rows[i].symbol, symbol)) return &book->rows[i];
    return NULL;
}

/* ---- words ---- */
static bool cut_suffix(char *name, const char *suffix)
{
    size_t length = strlen(name);
    size_t cut = strlen(suffix);
    if (length <= cut || strcmp(name + length - cut, suffix)) return false;
    name[length - cut] = 0;
    return true;
}

/* The call as a program writes it: without what headers add for versions and for the thread's own default stream. */
static void plain_name(const char *symbol, char *out, size_t room)
{
    while (*symbol == '_') symbol++;
    snprintf(out, room, "%s", symbol);
    if (!cut_suffix(out, "_ptsz")) cut_suffix(out, "_ptds");
    size_t length = strlen(out);
    bool version = length > 3 && out[length - 3] == '_' && out[length - 2] == 'v';
    if (version) out[length - 3] = 0;
}

static void report(const face_book *book, const face_entry *entry, host_error error, uint64_t number)
{
    char name[128];
    const host_error_desc *row = host_error_find(error);
    const char *error_name = row && book->runtime_names ? row->runtime_name : row ? row->driver_name : NULL;
    plain_name(entry->symbol, name, sizeof name);
    host_failure failure = {
        .call = name,
        .error = error,
        .error_name = error_name ? error_name : "an unknown error",
        .number = number,
        .thread = host_thread_get(host_get())->id,
        .pending = book->keeps_last || entry->kind == FACE_LAUNCH,
    };
    host_failure_report(host_get(), &failure);
}

void face_end(const face_book *book, const char *function, host_error error)
{
    host_thread *thread = host_thread_get(host_get());
    uint64_t number = count_call(thread, function);
    if (error && !is_answer(error)) {
        size_t prefix = strlen(book->prefix);
        const char *symbol = strncmp(function, book->prefix, prefix) ? function : function + prefix;
        const face_entry *entry = find_entry(book, symbol);
        if (entry && entry->kind != FACE_PROBE) report(book, entry, error, number);
    }
    thread->launched_from = thread->launches_next_from;
    thread->launches_next_from = NULL;
}
