/* solver_entry.h: what the files of entry points share. Work space that programs give is not used: they are asked for one element. */
#ifndef LW_SOLVER_ENTRY_H
#define LW_SOLVER_ENTRY_H

#include "blas/blas_entry.h"
#include "solver/solver.h"

#define VALID                                                                                                          \
    do {                                                                                                               \
        if (!solver_valid(h)) return solver_end(SOLVER_NOT_INITIALIZED);                                               \
    } while (0)
#define HAVE(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) return solver_end(SOLVER_INVALID_VALUE);                                                     \
    } while (0)
#define PUT(kind, work, count, ...)                                                                                    \
    return solver_put(h, &(solver_call){.type = kind, .batch = count, __VA_ARGS__}, work, __func__)
#define UNUSED __attribute__((unused))
#define AT(pointer) ((uint64_t)(uintptr_t)(pointer))
#define EACH(M) M(S, BLAS_S) M(D, BLAS_D) M(C, BLAS_C) M(Z, BLAS_Z)
#define REAL(M, name) M(S##name, BLAS_S) M(D##name, BLAS_D)
#define IMAGINARY(M, name) M(C##name, BLAS_C) M(Z##name, BLAS_Z)
#define JOB(job) ((job) ? 'V' : 'N')
/* The size that a bufferSize call tells, if these numbers are all not negative. */
#define ROOM(out, ...)                                                                                                 \
    {                                                                                                                  \
        const int64_t sizes[] = {__VA_ARGS__};                                                                         \
        return solver_sizes(h, sizes, (int)LW_COUNT(sizes), out, __func__);                                            \
    }

#endif
