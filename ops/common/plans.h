/* Descriptions of plans, one per op file. */
#ifndef LW_OPS_PLANS_H
#define LW_OPS_PLANS_H

#include <stddef.h>
#include "common/internal.h"

void lw_inplace_describe(const lw_plan *plan, char *text, size_t size);
void lw_convert_describe(const lw_plan *plan, char *text, size_t size);
void lw_steps_describe(const lw_plan *plan, char *text, size_t size);
void lw_record_describe(const lw_plan *plan, char *text, size_t size);
void lw_hist_describe(const lw_plan *plan, char *text, size_t size);

#endif
