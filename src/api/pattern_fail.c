/* Messages of the functions on patterns. */
#include "api/pattern_priv.h"

#include <stdio.h>

/* Messages quote what users wrote; a line end or another control character in it would break a log or a terminal. */
static void one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f) *text = '?';
}

int pattern_fail(lw_message *message, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (message) {
        vsnprintf(message->text, sizeof message->text, format, args);
        one_line(message->text);
    }
    va_end(args);
    return 1;
}
