/* lanes_int.c: executors of the R1 R2 R3 rows (integers, bits, conversions, half and video through their own lane
 * functions), per host instruction set. */
#include "exec/lanes.h"

#define R1 DEFINE_R1
#define R2 DEFINE_R2
#define R3 DEFINE_R3
#define P1 DEFINE_P1
#define P2 DEFINE_P2
#include "ptx/insns.def"

#define ENTRY(id) {OP_##id, run_##id},
#define R1(id, ...) ENTRY(id)
#define R2(id, ...) ENTRY(id)
#define R3(id, ...) ENTRY(id)
#define P1(id, ...) ENTRY(id)
#define P2(id, ...) ENTRY(id)
const exec_run_entry ISA(exec_rows_int)[] = {
#include "ptx/insns.def"
    {0, NULL}};
