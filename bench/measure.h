// measure.h: what the programs of `make bench` share: errors end them, and a row is the best of five launches by processor time of
// this process, the launch included; other processes do not count.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cuda_runtime.h>

static void check(cudaError_t error)
{
    if (!error) return;
    printf("%s\n", cudaGetErrorString(error));
    exit(1);
}

// Prints how much of `amount` a second was; unit: "M", millions, or "G", thousands of millions.
template <class F> static void measure(const char *name, double amount, const char *unit, F launch)
{
    double best = 1e9;
    for (int k = 0; k < 5; k++) {
        clock_t start = clock();
        launch();
        check(cudaDeviceSynchronize());
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (seconds < best) best = seconds;
    }
    bool millions = unit[0] == 'M';
    printf("%-44s %8.*f %s/s\n", name, millions ? 0 : 2, amount / best * (millions ? 1e-6 : 1e-9), unit);
}
