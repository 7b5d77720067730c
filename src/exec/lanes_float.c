/* lanes_float.c: executors of the F1 F2 F3 rows (f32, f64) and of the comparisons, per host instruction set. */
#include "exec/lanes.h"

#define F1 DEFINE_F1
#define F2 DEFINE_F2
#define F3 DEFINE_F3
#define RC DEFINE_RC
#include "ptx/insns.def"

#define ENTRY(id) {OP_##id, run_##id},
#define F1(id, ...) ENTRY(id)
#define F2(id, ...) ENTRY(id)
#define F3(id, ...) ENTRY(id)
#define RC(id, ...) ENTRY(id)
const exec_run_entry ISA(exec_rows_float)[] = {
#include "ptx/insns.def"
    {0, NULL}};
