/* fatbin: bytes that nvcc, clang or a user made -> the PTX text to run. Reads fatbin containers, PTX text, machine code
 * (cubins, only to name them and to read what they say of a kernel) and ELF host files that carry any of these.
 *
 *   fatbin_from_memory   a pointer a program handed over (registration, cuModuleLoadData) -> spans of known size
 *   fatbin_walk          such a span, or a whole file -> its entries
 *   fatbin_select_ptx    -> PTX text for one device
 *   fatbin_kernel        what the machine code beside the PTX says of a kernel: registers, stack, shared memory
 *   fatbin_frames        what its functions do to the stack by themselves
 *   fatbin_program_read  what kind of program a file is, before running it
 *   fatbin_function_at   function and source line of an address of host code
 *   fatbin_write         entries -> container
 *
 * Spans that come out point into the bytes that went in unless an arena is a parameter. Input is never trusted: every
 * offset is checked, and a failure is LW_CORRUPT with the offset; only fatbin_from_memory has to believe the sizes it
 * finds. */
#ifndef LW_FATBIN_FATBIN_H
#define LW_FATBIN_FATBIN_H

#include "base/base.h"

/* ---- entries ---- */
enum fatbin_kind { FATBIN_OTHER, FATBIN_PTX, FATBIN_ELF };

/* Bits of fatbin_entry.flags. */
#define FATBIN_FLAG_64BIT 0x1u
#define FATBIN_FLAG_DEBUG 0x2u /* -G */
#define FATBIN_FLAG_LINUX 0x10u
#define FATBIN_FLAG_LZ4 0x2000u
#define FATBIN_FLAG_ZSTD 0x8000u
#define FATBIN_FLAG_ARCH 0x100000u   /* sm_90a: that architecture only */
#define FATBIN_FLAG_FAMILY 0x200000u /* sm_100f: that architecture and later minor ones of its family */

struct fatbin_entry {
    enum fatbin_kind kind;
    uint32_t sm;                   /* 75, 90, 120...; 0 = not stated (PTX text without .target) */
    char arch_suffix;              /* 0, 'a' or 'f' */
    uint32_t ptx_major, ptx_minor; /* PTX ISA version; 0.0 for machine code */
    uint64_t flags;
    uint64_t uncompressed_size; /* 0: stored plain */
    lw_span stored;             /* the payload as it lies there, compressed or not; plain PTX may end in NULs */
    lw_span options;            /* PTX: options of ptxas (" --generate-line-info "); machine code: a binary record */
    lw_span file_name;          /* source file; text without NUL, often empty */
    uint64_t offset;            /* of the entry (its header, or its first byte when it has none) in what was walked */
    uint32_t container;         /* running number of the container, or bare image, within what was walked */
};

typedef LW_VEC(struct fatbin_entry) fatbin_entries; /* zero-initialise; lw_vec_free */

/* Appends to *out every entry of bytes: a fatbin container or several one after another, PTX text, a cubin, or a 64-bit
 * ELF host file (executable, shared object, relocatable; sections .nv_fatbin, then __nv_relfatbin). Cubins inside
 * containers are not opened. An ELF file without such sections has no entries and is no error. LW_CORRUPT: an offset or
 * size does not fit. LW_UNSUPPORTED: nothing this room knows, or an unknown container version. */
lw_status fatbin_walk(lw_span bytes, fatbin_entries *out, lw_error *error);

/* The same without an array: calls visit for each entry until it returns false. */
typedef bool (*fatbin_visit)(const struct fatbin_entry *entry, void *user);
lw_status fatbin_each(lw_span bytes, fatbin_visit visit, void *user, lw_error *error);

/* "PTX for compute_75; machine code for sm_75, sm_90a": what messages say of images. Never empty; at most 32 kinds. */
void fatbin_describe(const struct fatbin_entry *entries, size_t count, lw_text *out);

/* The payload of an entry in *out: uncompressed into the arena, PTX without its NULs but with one after its last byte.
 * LW_CORRUPT if stated and real size differ; LW_LIMIT above FATBIN_MAX_SIZE. */
#define FATBIN_MAX_SIZE ((uint64_t)1 << 30)
lw_status fatbin_unpack(const struct fatbin_entry *entry, lw_arena *arena, lw_span *out, lw_error *error);

/* ---- choosing ---- */
/* The oldest target of the newest toolkits (CUDA 13). A device would refuse such code if it is older; here it runs. */
#define FATBIN_OLDEST_TARGET 75u
/* Whether an entry of kind PTX may run on a device (sm as in the entry, 90 for 9.0): a plain one if it is not newer;
 * 'a' only on exactly its device; 'f' on its device and later ones of its family; the last two only if the device has
 * architecture-specific features (arch_features). */
bool fatbin_ptx_fits(const struct fatbin_entry *entry, uint32_t sm, bool arch_features);

/* The newest PTX that fits; at one sm the more specific ('a', 'f', plain), then the first. *text is NUL-terminated in
 * the arena (the NUL is not counted); *chosen (NULL allowed) is its entry. LW_NO_PTX: the message names the images
 * there are and what to rebuild with. bytes is what fatbin_walk takes; give one container, not a whole program, where
 * one is known. */
lw_status fatbin_select_ptx(lw_span bytes, uint32_t sm, bool arch_features, lw_arena *arena, lw_span *text,
                            struct fatbin_entry *chosen, lw_error *error);

/* ---- machine code beside the PTX ---- */
enum { FATBIN_GENERIC, FATBIN_GLOBAL, FATBIN_SHARED, FATBIN_LOCAL, FATBIN_SPACES };
enum { FATBIN_LOADS, FATBIN_STORES, FATBIN_DIRECTIONS };
enum { FATBIN_WIDTHS = 5 }; /* log2 of bytes: 1 to 16 */
struct fatbin_kernel_info {
    uint32_t sm; /* of the cubin it was read from */
    char arch_suffix;
    uint32_t registers;    /* per thread */
    uint32_t stack_bytes;  /* of local memory per thread: the kernel's frame, with what it calls where known */
    uint32_t shared_bytes; /* static, without what the system reserves per block */
    /* instructions of the kernel itself that load and store; from sm_70 on */
    uint32_t accesses[FATBIN_SPACES][FATBIN_DIRECTIONS][FATBIN_WIDTHS];
};

/* What the newest cubin in bytes that runs on the device (same major, not newer minor; 'a' and 'f' as above) says of a
 * kernel (mangled name). LW_NOT_FOUND: no such cubin, or it lacks the kernel. */
lw_status fatbin_kernel(lw_span bytes, uint32_t sm, bool arch_features, const char *name,
                        struct fatbin_kernel_info *out, lw_error *error);

/* The same of one uncompressed cubin (an ELF file); sm and arch_suffix stay as they are. */
lw_status fatbin_cubin_kernel(lw_span cubin, const char *name, struct fatbin_kernel_info *out, lw_error *error);

/* What a function does to its thread's stack by itself (frame.c). */
struct fatbin_frame {
    const char *function; /* in: mangled; the kernel itself is one, too */
    bool found;           /* the machine code has it as a function: it is called, not inlined */
    bool plain;           /* it returns at one place, yields nowhere, and nothing but the saves lies above `arrays` */
    uint32_t bytes;       /* of its frame */
    uint32_t arrays;      /* of them below the registers that it saves: arrays, and values that found no register */
    uint32_t saves;       /* registers of its caller that it stores at its begin, and loads at its end, one by one */
    uint32_t loads;       /* other instructions that load from local memory */
};
/* Fills in frames of functions that the kernel reaches, from the cubin that fatbin_kernel() reads; the same errors. */
lw_status fatbin_frames(lw_span bytes, uint32_t sm, bool arch_features, const char *kernel, struct fatbin_frame *frames,
                        size_t count, lw_error *error);
lw_status fatbin_cubin_frames(lw_span cubin, const char *kernel, struct fatbin_frame *frames, size_t count,
                              lw_error *error);

/* The SM number a cubin's ELF header states; 0 if it is none or unknown. */
uint32_t fatbin_cubin_sm(lw_span cubin);

/* ---- images in memory ---- */
/* Section .nvFatBinSegment, what __cudaRegisterFatBinary gets. Version 1: data is the image, extra a file name or NULL.
 * Version 2 (-rdc=true): data is the linked container, machine code only; extra a NULL-terminated array of pointers to
 * the containers of the translation units, which hold the PTX. */
#define FATBIN_WRAPPER_MAGIC 0x466243B1u
struct fatbin_wrapper {
    uint32_t magic, version;
    const void *data;
    const void *extra;
};

struct fatbin_memory {
    lw_span linked;  /* wrapper version 2: the linked container; else empty */
    lw_span *images; /* where to look for PTX, one module each (to be linked if there are several); in the arena */
    size_t count;
};

/* What lies at image: a wrapper, a container, an ELF file or NUL-terminated PTX text. Sizes come from the headers found
 * there: the pointer must be good. LW_UNSUPPORTED if it is none of these. */
lw_status fatbin_from_memory(const void *image, lw_arena *arena, struct fatbin_memory *out, lw_error *error);

/* ---- programs ---- */
enum fatbin_program_kind {
    FATBIN_PROGRAM_OTHER,  /* nothing known: data, a 32-bit or foreign executable */
    FATBIN_PROGRAM_SCRIPT, /* starts with "#!" */
    FATBIN_PROGRAM_ELF,    /* 64-bit little-endian ELF executable or shared object */
};

/* How the CUDA runtime is bound. */
enum fatbin_runtime {
    FATBIN_RUNTIME_NONE,          /* no sign of one: a driver-API program, or not CUDA at all */
    FATBIN_RUNTIME_SHARED,        /* NEEDED libcudart.so.N: ours can take its place */
    FATBIN_RUNTIME_LANEWISE,      /* our static runtime is inside */
    FATBIN_RUNTIME_NVIDIA_STATIC, /* NVIDIA's is inside, which accepts only NVIDIA's driver: relink the program */
};

struct fatbin_program {
    enum fatbin_program_kind kind;
    uint16_t elf_machine; /* EM_X86_64 = 62, ... */
    bool stripped;        /* no symbol table: runtime is then judged by texts in the file */
    enum fatbin_runtime runtime;
    char needed_cudart[64];      /* "libcudart.so.13" or "" */
    bool needs_libcuda;          /* NEEDED libcuda.so.1 */
    char closed_library[64];     /* the first NEEDED that fatbin_is_closed_library(), or "" */
    uint32_t ptx_count;          /* images of PTX that it carries */
    bool ptx_fits;               /* some PTX fits the device */
    uint32_t machine_code_count; /* images of machine code with functions in them; not counted if ptx_fits */
    char images[512];            /* fatbin_describe() of all of them; "" if there is none */
};

/* Reads what PATH is. Failing to open or read it is an error, being something unknown is not; nor is a broken fatbin in
 * it (images then says so). */
lw_status fatbin_program_read(const char *path, uint32_t sm, bool arch_features, struct fatbin_program *out,
                              lw_error *error);
/* The same of a file's bytes. */
void fatbin_program_of(lw_span file, uint32_t sm, bool arch_features, struct fatbin_program *out);

/* ---- places in host code ---- */
#define FATBIN_MAX_PATH 1024
struct fatbin_function {
    char name[512]; /* mangled; a longer one is cut */
    uint64_t from;  /* its first address */
};
struct fatbin_line {
    char file[FATBIN_MAX_PATH]; /* as the compiler was given it, behind its folder where that is known */
    uint32_t line;
};
typedef bool (*fatbin_line_filter)(const char *path);

/* Both are for one address of an ELF file, as addr2line takes it, and safe in signal handlers (no allocation, no lock).
 * The function that the address lies in; false: no symbol says so. */
bool fatbin_function_at(lw_span file, uint64_t address, struct fatbin_function *out);
/* The source line, from the DWARF line tables (-g1 and more): of the last row between `from` (of the function; 0 if it
 * is not known) and the address whose file skip does not leave out (NULL: none is left out). So an address in code that
 * was inlined from a header gets the line of the function's own source before it. false: no table says so. */
bool fatbin_line_at(lw_span file, uint64_t from, uint64_t address, fatbin_line_filter skip, struct fatbin_line *out);

/* Libraries of NVIDIA's that hold machine code and accept only NVIDIA's driver; base: "libcublas.so.13". */
bool fatbin_is_closed_library(const char *base);

/* ---- writing ---- */
/* Appends one container to *out. stored is written as it is (flags and uncompressed_size must fit it); of flags, 64BIT,
 * LINUX and the bit of arch_suffix are set besides. offset and container are not read. LW_INVALID_ARGUMENT:
 * FATBIN_OTHER, an unknown suffix, or a field that does not fit its place. */
lw_status fatbin_write(const struct fatbin_entry *entries, size_t count, lw_text *out, lw_error *error);

#endif
