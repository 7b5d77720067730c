/* cmd_tour: lanewise tour: a newcomer runs two small programs of the tutorials, looks at the report, mends a line and looks again. Each
 * step says what to look at; in a terminal it waits for Enter. The programs are written to a directory, to play with. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SELF "/proc/self/exe"

typedef struct tour_options {
    bool help;
} tour_options;

static const opt_row tour_rows[] = {OPT_ROW(tour_options, 'h', "help", NULL, OPT_FLAG, help, "show this help"), {0}};

/* T4: every lane reads its own row of a tile. */
static const char banks_cu[] = "// Each block sums the rows of a tile in shared memory: lane t reads tile[t][i].\n"
                               "#include <cstdio>\n"
                               "\n"
                               "#define PAD 0 // words behind each row\n"
                               "\n"
                               "__global__ void row_sums(float *out) {\n"
                               "    __shared__ float tile[32][32 + PAD];\n"
                               "    int t = threadIdx.x;\n"
                               "    for (int i = 0; i < 32; i++)\n"
                               "        tile[i][t] = 1;\n"
                               "    __syncthreads();\n"
                               "    float sum = 0;\n"
                               "    #pragma unroll 1 // one load at a time, so that the report shows each\n"
                               "    for (int i = 0; i < 32; i++)\n"
                               "        sum += tile[t][i];\n"
                               "    out[blockIdx.x * 32 + t] = sum;\n"
                               "}\n"
                               "\n"
                               "int main() {\n"
                               "    float *out, first;\n"
                               "    cudaMalloc(&out, 64 * 32 * sizeof(float));\n"
                               "    row_sums<<<64, 32>>>(out);\n"
                               "    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);\n"
                               "    printf(\"first sum: %g\\n\", first);\n"
                               "}\n";

/* T15: a transpose whose stores are columns; the tile mends it. */
static const char transpose_cu[] = "// out = the transpose of in, 256 x 256. Without TILE the warp stores a column.\n"
                                   "#include <cstdio>\n"
                                   "\n"
                                   "#define N 256\n"
                                   "#define TILE 0 // 1: through a tile in shared memory\n"
                                   "\n"
                                   "__global__ void transpose(float *out, const float *in) {\n"
                                   "    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
                                   "#if TILE\n"
                                   "    __shared__ float tile[32][33];\n"
                                   "    tile[threadIdx.y][threadIdx.x] = in[y * N + x];\n"
                                   "    __syncthreads();\n"
                                   "    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;\n"
                                   "    out[y * N + x] = tile[threadIdx.x][threadIdx.y];\n"
                                   "#else\n"
                                   "    out[x * N + y] = in[y * N + x];\n"
                                   "#endif\n"
                                   "}\n"
                                   "\n"
                                   "int main() {\n"
                                   "    float *in, *out;\n"
                                   "    cudaMalloc(&in, N * N * sizeof(float));\n"
                                   "    cudaMalloc(&out, N * N * sizeof(float));\n"
                                   "    cudaMemset(in, 0, N * N * sizeof(float));\n"
                                   "    transpose<<<dim3(N / 32, N / 32), dim3(32, 32)>>>(out, in);\n"
                                   "    printf(\"%s\\n\", cudaGetErrorString(cudaDeviceSynchronize()));\n"
                                   "}\n";

typedef struct tour_stop {
    const char *name; /* of the program's file, without .cu */
    const char *source;
    const char *from, *to; /* the mend: words of the source and what they become */
    const char *before, *look, *after, *last;
} tour_stop;

static const tour_stop stops[] = {
    {"banks", banks_cu, "#define PAD 0", "#define PAD 1",
     "1. Shared memory. banks.cu sums the rows of a tile: lane t of a warp reads tile[t][i], so that the 32 lanes read "
     "32 rows of "
     "one column. We run it; no GPU is needed.",
     "Look at the line with 32.0x: 32 wavefronts instead of one for each warp instruction. Rows of 32 words put a "
     "column into one of the 32 banks, and a bank serves one word at a time. `lanewise explain wavefronts` draws it. "
     "Because of --what-if the report has also counted other layouts of the tile: with rows of 33 words, "
     "tile[32][33], the line would be at 1.0x, and no other line would pay for it.",
     "We do that, `#define PAD 1`, and run it again.",
     "Every line is at its ideal: the same sum, a 32nd of the wavefronts. `lanewise diff` says it per line:"},
    {"transpose", transpose_cu, "#define TILE 0", "#define TILE 1",
     "2. Global memory. transpose.cu reads rows and stores columns: neighbouring lanes store N floats apart.",
     "Look at the store: 8.0x, for each warp 32 sectors of 32 bytes instead of 4, because each lane touches a sector "
     "of its own and "
     "uses 4 of its bytes. Counted: in an array that lies the other way round the store would be at 1.0x. But a "
     "transpose has to write this order; then a tile in shared memory is the mend.",
     "We turn the tile on, `#define TILE 1` (its rows have 33 words: you know why), and run it again.",
     "Loads and stores are now rows, and the tile is free of conflicts:"},
};

static void wrapped(const char *text)
{
    terminal t = terminal_of(stdout);
    size_t width = t.width >= 40 && t.width < 90 ? t.width : 90;
    putchar('\n');
    for (size_t column = 0; *text;) {
        size_t n = strcspn(text, " ");
        if (column && column + 1 + n > width) {
            putchar('\n');
            column = 0;
        }
        column += (size_t)printf("%s%.*s", column ? " " : "", (int)n, text);
        text += n + strspn(text + n, " ");
    }
    puts("");
    fflush(stdout);
}

static void wait_for_enter(void)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return;
    printf("[Enter] ");
    fflush(stdout);
    for (int c = getchar(); c != '\n' && c != EOF;) c = getchar();
}

/* Says what is run, and runs it. */
static int step(char *const *argv)
{
    words none = {0};
    int ended_by;
    printf("\n$ lanewise");
    for (size_t i = 1; argv[i]; i++) printf(" %s", argv[i]);
    puts("");
    fflush(stdout);
    return child_run(argv, &none, true, &ended_by);
}

static int run_program(const tour_stop *s, const char *json)
{
    char *argv[] = {(char *)SELF,     (char *)"run", (char *)"--what-if",       (char *)"--sources",
                    (char *)"--json", (char *)json,  text_of("%s.cu", s->name), NULL};
    return step(argv);
}

static bool write_program(const tour_stop *s, bool mended)
{
    const char *at = strstr(s->source, s->from);
    char *text = mended ? text_of("%.*s%s%s", (int)(at - s->source), s->source, s->to, at + strlen(s->from))
                        : text_of("%s", s->source);
    char *file = text_of("%s.cu", s->name);
    if (file_write(file, text, strlen(text))) return true;
    say("cannot write %s: %s", file, strerror(errno));
    return false;
}

static int visit(const tour_stop *s)
{
    char *before = text_of("%s-before.json", s->name);
    char *after = text_of("%s-after.json", s->name);
    char *diff[] = {(char *)SELF, (char *)"diff", before, after, NULL};
    wrapped(s->before);
    wait_for_enter();
    if (!write_program(s, false)) return EXIT_REFUSED;
    int status = run_program(s, before);
    if (status) return status;
    wrapped(s->look);
    wait_for_enter();
    wrapped(s->after);
    if (!write_program(s, true)) return EXIT_REFUSED;
    status = run_program(s, after);
    if (status) return status;
    wrapped(s->last);
    return step(diff);
}

static int run_tour(const command *self, int argc, char **argv)
{
    if (argc > 1 && argv[1][0] == '-') return opt_unknown(self, argv[1]);
    const char *directory = argc > 1 ? argv[1] : "lanewise-tour";
    if (!make_directories(directory) || chdir(directory)) {
        say("cannot use the directory %s: %s", directory, strerror(errno));
        return EXIT_REFUSED;
    }
    printf("The programs are written to %s; you may change and run them.\n", directory);
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        int status = visit(&stops[i]);
        if (status) return status;
    }
    wrapped("That is all: run, look, mend, look again. Next: `lanewise run --html report.html` draws the warps, "
            "`--check` finds races, "
            "`--time` predicts the time, `lanewise run --help` lists the rest.");
    return 0;
}

const command command_tour = {
    .name = "tour",
    .usage = "lanewise tour [DIRECTORY]",
    .about =
        "Shows a newcomer around: two small programs are run, looked at, mended and looked at again. They are written\n"
        "to DIRECTORY (lanewise-tour). Needs nvcc or clang, as running source files does.",
    .options = tour_rows,
    .examples = "lanewise tour",
    .run = run_tour};
