/* T17 as printed: the cluster histogram with its errors: bins per block is nbins / cluster_size, rounded down, so the
 * last nbins % cluster_size bins belong to a rank that may not exist; the grid is not rounded to whole clusters; an
 * int is compared with a size_t. Corrected: ../t17_cluster_histogram.cu.
 * Arguments: the number of bins (256 by default: it works; 258 does not), the cluster size (4). */
#include "../example.h"
#include <cooperative_groups.h>

__global__ void clusterHist_kernel(int *bins, const int nbins, const int bins_per_block,
                                   const int *__restrict__ input, size_t array_size) {
    extern __shared__ int smem[];
    namespace cg = cooperative_groups;
    int tid = cg::this_grid().thread_rank();

    cg::cluster_group cluster = cg::this_cluster();

    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        smem[i] = 0;

    cluster.sync();

    for (int i = tid; i < array_size; i += blockDim.x * gridDim.x) {
        int ldata = input[i];

        int binid = ldata;
        if (ldata < 0)
            binid = 0;
        else if (ldata >= nbins)
            binid = nbins - 1;

        int dst_block_rank = (int)(binid / bins_per_block);
        int dst_offset = binid % bins_per_block;
        int *dst_smem = cluster.map_shared_rank(smem, dst_block_rank);

        atomicAdd(dst_smem + dst_offset, 1);
    }

    cluster.sync();

    int *lbins = bins + cluster.block_rank() * bins_per_block;
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        atomicAdd(&lbins[i], smem[i]);
}

int main(int argc, char **argv) {
    int nbins = arg_int(argc, argv, 1, 256), cluster_size = arg_int(argc, argv, 2, 4);
    const size_t array_size = 16384;
    const int threads_per_block = 256;
    int *input = (int *)malloc(array_size * sizeof(int)), *d_input, *d_bins, pass;
    int *expected = (int *)calloc(nbins, sizeof(int)), *got = (int *)malloc(nbins * sizeof(int));

    for (size_t i = 0; i < array_size; i++) {
        input[i] = (int)(i * 37 % (nbins + 20)) - 10;
        expected[input[i] < 0 ? 0 : input[i] >= nbins ? nbins - 1 : input[i]]++;
    }
    CHECK(cudaMalloc((void **)&d_input, array_size * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_bins, nbins * sizeof(int)));
    CHECK(cudaMemcpy(d_input, input, array_size * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_bins, 0, nbins * sizeof(int)));
    {
        cudaLaunchConfig_t config = {0};
        config.gridDim = array_size / threads_per_block;
        config.blockDim = threads_per_block;

        int nbins_per_block = nbins / cluster_size;
        config.dynamicSmemBytes = nbins_per_block * sizeof(int);

        CHECK(cudaFuncSetAttribute((void *)clusterHist_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   config.dynamicSmemBytes));

        cudaLaunchAttribute attribute[1];
        attribute[0].id = cudaLaunchAttributeClusterDimension;
        attribute[0].val.clusterDim.x = cluster_size;
        attribute[0].val.clusterDim.y = 1;
        attribute[0].val.clusterDim.z = 1;

        config.numAttrs = 1;
        config.attrs = attribute;

        CHECK(cudaLaunchKernelEx(&config, clusterHist_kernel, d_bins, nbins, nbins_per_block, (const int *)d_input,
                                 array_size));
    }
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, d_bins, nbins * sizeof(int), cudaMemcpyDeviceToHost));
    pass = same_ints("bins", expected, got, nbins);
    CHECK(cudaFree(d_input));
    CHECK(cudaFree(d_bins));
    free(input);
    free(expected);
    free(got);
    return finish(pass);
}
