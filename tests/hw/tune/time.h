/* With an argument, the number of runs, TIME prints the median time of a launch, in microseconds, ten launches a run; else it launches
 * once. */
static int compare_floats(const void *a, const void *b) { return *(const float *)a < *(const float *)b ? -1 : 1; }
#define TIME(launch)                                                                                                   \
    do {                                                                                                               \
        int runs = argc > 1 ? atoi(argv[1]) : 0;                                                                       \
        float *ms = (float *)malloc(sizeof(float) * (runs + 1));                                                       \
        cudaEvent_t begin, end;                                                                                        \
        cudaEventCreate(&begin);                                                                                       \
        cudaEventCreate(&end);                                                                                         \
        launch;                                                                                                        \
        for (int i = 0; i < runs; i++) {                                                                               \
            cudaEventRecord(begin);                                                                                    \
            for (int k = 0; k < 10; k++) launch;                                                                       \
            cudaEventRecord(end);                                                                                      \
            cudaEventSynchronize(end);                                                                                 \
            cudaEventElapsedTime(&ms[i], begin, end);                                                                  \
        }                                                                                                              \
        qsort(ms, runs, sizeof *ms, compare_floats);                                                                   \
        if (runs) printf("us %.3f\n", ms[runs / 2] * 100);                                                             \
    } while (0)
