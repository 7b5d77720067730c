/* decode_async.c: placeholder until its decoders arrive. */
#include "code/decode.h"

static void later(decoder *d) { decode_problem(d, "'%s' is not supported", d->in->mnemonic); }
void decode_getctarank(decoder *d) { later(d); }
void decode_mapa(decoder *d) { later(d); }
void decode_cp(decoder *d) { later(d); }
void decode_mbarrier(decoder *d) { later(d); }
void decode_ldmatrix(decoder *d) { later(d); }
void decode_stmatrix(decoder *d) { later(d); }
void decode_movmatrix(decoder *d) { later(d); }
void decode_stacksave(decoder *d) { later(d); }
void decode_stackrestore(decoder *d) { later(d); }
void decode_alloca(decoder *d) { later(d); }
void decode_tex(decoder *d) { later(d); }
void decode_istypep(decoder *d) { later(d); }
void decode_st_async(decoder *d) { later(d); }
