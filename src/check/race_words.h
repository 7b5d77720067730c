/* race_words: words that are written and read with release and acquire. */
#ifndef LW_CHECK_RACE_WORDS_H
#define LW_CHECK_RACE_WORDS_H

#include "check/race_cell.h"

/* Before an access that reads, behind one that writes. */
void race_words_order(race_access *a);

#endif
