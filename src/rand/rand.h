/* rand.h: cuRAND's host interface. Entry points are named lw_curand_<exported name>; a call is put on the stream of its
 * generator (host/library.h), or carried out at once for a generator of the host.
 *
 * XORWOW, MRG32k3a and Philox4x32-10 are those of curand_kernel.h, bit for bit, with as many subsequences side by side as
 * cuRAND's manual says for the default order; Sobol points are those of Joe and Kuo's direction numbers: of 20 dimensions here,
 * of all and scrambled by the tables of NVIDIA's library. */
#ifndef LW_RAND_H
#define LW_RAND_H

#include "face/library.h"

enum { /* curandStatus_t */
       RAND_OK = 0,
       RAND_NOT_INITIALIZED = 101,
       RAND_TYPE_ERROR = 103,
       RAND_OUT_OF_RANGE = 104,
       RAND_LENGTH_NOT_MULTIPLE = 105,
       RAND_LAUNCH_FAILURE = 201,
       RAND_INITIALIZATION_FAILED = 203,
       RAND_NOT_SUPPORTED = 999 /* CURAND_STATUS_INTERNAL_ERROR: the library has no status of its own for this */
};

int rand_unsupported(const char *function); /* how an entry point ends that is not there (rand_core.c) */

typedef struct rand_engine rand_engine;

/* A generator. What comes after `engine` is changed while calls run, in the order of their stream. */
typedef struct rand_generator {
    uint32_t magic;
    bool on_host;
    void *stream; /* cudaStream_t */
    uint64_t seed, offset;
    unsigned dimensions; /* of quasirandom points */
    bool reset;          /* the next call begins at seed and offset again */
    const rand_engine *engine;
    void *states;    /* engine->streams of engine->state_bytes */
    unsigned cursor; /* stream that gives the next group */
    uint64_t drawn;  /* points that quasirandom generators have given in each dimension */
} rand_generator;

/* ---------------------------------------------------------------- engines (rand_engine.c) */
/* Groups of results come from the streams in turn: group i from stream i mod streams, which gives the draws of a group one
 * after the other. */
struct rand_engine {
    int type; /* curandRngType_t */
    bool quasi, scrambled;
    unsigned bits; /* of a draw: 32 or 64 */
    unsigned streams;
    size_t state_bytes;
    unsigned lanes;            /* results in a group; of normal numbers two at least */
    bool odd_normals;          /* an odd number of normal numbers may be asked for */
    unsigned draws_per_double; /* that a result in double precision takes */
    void (*start)(rand_generator *g, uint64_t seed, uint64_t offset); /* writes all states */
    void (*draw)(void *state, unsigned count, uint64_t *out);
    float (*uniform)(uint64_t draw);
    double (*uniform_double)(const uint64_t *draws); /* draws_per_double of them */
    uint32_t (*integer)(uint64_t draw);
};
const rand_engine *rand_engine_find(int type); /* NULL: not supported */

/* ---------------------------------------------------------------- jumps (rand_jump.c) */
/* A linear step of XORWOW's five words: bit i of the state becomes row i. */
typedef struct rand_bits {
    uint32_t rows[160][5];
} rand_bits;
void rand_bits_step(rand_bits *out); /* one step of the generator */
void rand_bits_square(rand_bits *m);
void rand_bits_apply(const rand_bits *m, uint32_t v[5]);
/* v after `count` steps of MRG32k3a's component: v' = M v mod m. */
typedef struct rand_mod {
    uint64_t rows[3][3], modulus;
} rand_mod;
void rand_mod_square(rand_mod *m);
void rand_mod_apply(const rand_mod *m, uint32_t v[3]);

/* ---------------------------------------------------------------- quasirandom points (rand_sobol.c, rand_tables.c) */
#define RAND_SOBOL_DIMENSIONS 20u /* whose direction numbers are known here */
#define RAND_TABLE_DIMENSIONS 20000u
/* NVIDIA's tables, by dimension. */
typedef struct rand_tables {
    bool found;
    const uint32_t (*vectors_32)[32], (*scrambled_32)[32], *constants_32;
    const uint64_t (*vectors_64)[64], (*scrambled_64)[64], *constants_64;
} rand_tables;
const rand_tables *rand_tables_find(void); /* NULL: NVIDIA's library is not installed, which is said once */

/* A dimension's direction vectors as 64 bits after the binary point, and what all its points are scrambled with. */
typedef struct rand_dimension {
    uint64_t vectors[64], constant;
} rand_dimension;
void rand_sobol_dimension(const rand_engine *engine, unsigned dimension, rand_dimension *out);
uint64_t rand_sobol(const rand_dimension *dimension, uint64_t index); /* point `index`, 0 the first */

/* ---------------------------------------------------------------- results (rand_fill.c) */
typedef enum rand_kind {
    RAND_BITS_32,
    RAND_BITS_64,
    RAND_UNIFORM,
    RAND_UNIFORM_DOUBLE,
    RAND_NORMAL,
    RAND_NORMAL_DOUBLE,
    RAND_LOG_NORMAL,
    RAND_LOG_NORMAL_DOUBLE,
    RAND_POISSON
} rand_kind;
typedef struct rand_wish {
    rand_kind kind;
    double mean, deviation; /* Poisson: mean alone */
} rand_wish;
size_t rand_kind_bytes(rand_kind kind);
void rand_fill(rand_generator *g, const rand_wish *wish, void *out, size_t count);

#endif
