// String matching: naive with the pattern in constant memory, Rabin-Karp, and a case-insensitive word count.
#include <cctype>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

__constant__ char pattern[64];

__global__ void naive(const char *text, int n, int m, int *positions, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + m > n) return;
    int j = 0;
    while (j < m && text[i + j] == pattern[j]) j++;
    if (j == m) positions[atomicAdd(count, 1)] = i;
}

__global__ void rabin_karp(const char *text, int n, int m, unsigned hash, unsigned power, unsigned char *hit, int chunk)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    if (first + m > n) return;
    unsigned h = 0;
    for (int j = 0; j < m; j++) h = h * 257u + (unsigned char)text[first + j];
    for (int i = first; i < first + chunk && i + m <= n; i++) {
        bool equal = h == hash;
        for (int j = 0; equal && j < m; j++) equal = text[i + j] == pattern[j];
        hit[i] = equal;
        if (i + m < n) h = (h - (unsigned char)text[i] * power) * 257u + (unsigned char)text[i + m];
    }
}

__device__ bool is_letter(char c) {
    c |= 0x20;
    return c >= 'a' && c <= 'z';
}

__global__ void count_words(const char *text, int n, int *words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool starts = i < n && is_letter(text[i]) && (i == 0 || !is_letter(text[i - 1]));
    int c = __syncthreads_count(starts);
    if (threadIdx.x == 0) atomicAdd(words, c);
}

int main() {
    std::string text, pat = "abab";
    const char *parts[] = {"abab", "The quick ", "abc ", "Brown fox, ", "ab", "ababab ", "jumps-over "};
    for (int i = 0; i < 1500; i++) text += parts[(i * i + 3 * i) % 7];
    int n = (int)text.size(), m = (int)pat.size();
    std::vector<char> want(n, 0);
    int hits = 0, words = 0;
    for (size_t p = text.find(pat); p != std::string::npos; p = text.find(pat, p + 1)) {
        want[p] = 1;
        hits++;
    }
    for (int i = 0; i < n; i++) words += isalpha(text[i]) && (i == 0 || !isalpha(text[i - 1]));
    char *d_text;
    unsigned char *d_hit;
    int *d_pos, *d_count, counts[2];
    cudaMalloc(&d_text, n);
    cudaMalloc(&d_hit, n);
    cudaMalloc(&d_pos, n * sizeof(int));
    cudaMalloc(&d_count, 2 * sizeof(int));
    cudaMemset(d_count, 0, 2 * sizeof(int));
    cudaMemset(d_hit, 0, n);
    cudaMemcpy(d_text, text.data(), n, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(pattern, pat.data(), m);
    naive<<<(n + 127) / 128, 128>>>(d_text, n, m, d_pos, d_count);
    unsigned hash = 0, power = 1;
    for (int j = 0; j < m; j++) hash = hash * 257u + (unsigned char)pat[j];
    for (int j = 1; j < m; j++) power *= 257u;
    rabin_karp<<<(n / 16 + 64) / 64, 64>>>(d_text, n, m, hash, power, d_hit, 16);
    count_words<<<(n + 127) / 128, 128>>>(d_text, n, d_count + 1);
    std::vector<int> pos(n);
    std::vector<unsigned char> hit(n);
    cudaMemcpy(counts, d_count, sizeof counts, cudaMemcpyDeviceToHost);
    cudaMemcpy(pos.data(), d_pos, counts[0] * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(hit.data(), d_hit, n, cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess && counts[0] == hits && counts[1] == words && hits > 10;
    for (int i = 0; ok && i < counts[0]; i++) {
        ok = pos[i] >= 0 && pos[i] < n && want[pos[i]] == 1;
        want[pos[i]] = 2; // each once
    }
    for (int i = 0; ok && i < n; i++) ok = (want[i] != 0) == (hit[i] != 0);
    printf("%d hits, %d words of %d, %d\n", counts[0], counts[1], hits, words);
    cudaFree(d_text); cudaFree(d_hit); cudaFree(d_pos); cudaFree(d_count);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
