// SHA-256 of many short messages, and CRC-32 with a table in constant memory; known answers.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

__constant__ uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__constant__ uint32_t crc_table[256];

__device__ __forceinline__ uint32_t rotr(uint32_t x, int n) { return __funnelshift_r(x, x, n); }

__device__ void sha256_block(uint32_t *state, const uint8_t *block) {
    uint32_t w[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6],
             h = state[7];
#pragma unroll 16
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            uint32_t w0 = w[(i + 1) & 15], w1 = w[(i + 14) & 15];
            w[i & 15] +=
                (rotr(w0, 7) ^ rotr(w0, 18) ^ (w0 >> 3)) + w[(i + 9) & 15] + (rotr(w1, 17) ^ rotr(w1, 19) ^ (w1 >> 10));
        }
        uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i & 15];
        uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

__global__ void sha256(const uint8_t *text, const int *start, int n, uint32_t *digest, uint32_t *crc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint8_t *m = text + start[i];
    int len = start[i + 1] - start[i], done = 0;
    uint32_t s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (; done + 64 <= len; done += 64) sha256_block(s, m + done);
    uint8_t last[128];
    int rest = len - done, padded = rest + 9 <= 64 ? 64 : 128;
    for (int k = 0; k < padded; k++) last[k] = k < rest ? m[done + k] : k == rest ? 0x80 : 0;
    uint64_t bits = (uint64_t)len * 8;
    for (int k = 0; k < 8; k++) last[padded - 1 - k] = (uint8_t)(bits >> (8 * k));
    for (int k = 0; k < padded; k += 64) sha256_block(s, last + k);
    for (int k = 0; k < 8; k++) digest[i * 8 + k] = s[k];
    uint32_t c = ~0u;
    for (int k = 0; k < len; k++) c = crc_table[(c ^ m[k]) & 255] ^ (c >> 8);
    crc[i] = ~c;
}

int main() {
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    cudaMemcpyToSymbol(crc_table, table, sizeof table);
    std::vector<std::string> msgs = {"", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                                     "The quick brown fox jumps over the lazy dog", "123456789"};
    for (int i = 0; i < 123; i++) msgs.push_back(std::string(i, 'a' + i % 26));
    std::string text;
    std::vector<int> start(1, 0);
    for (auto &m : msgs) {
        text += m;
        start.push_back((int)text.size());
    }
    int n = msgs.size();
    uint8_t *dt;
    int *ds;
    uint32_t *dd, *dc;
    cudaMalloc(&dt, text.size());
    cudaMalloc(&ds, start.size() * 4);
    cudaMalloc(&dd, n * 32);
    cudaMalloc(&dc, n * 4);
    cudaMemcpy(dt, text.data(), text.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(ds, start.data(), start.size() * 4, cudaMemcpyHostToDevice);
    sha256<<<(n + 63) / 64, 64>>>(dt, ds, n, dd, dc);
    std::vector<uint32_t> digest(n * 8), crc(n);
    cudaMemcpy(digest.data(), dd, n * 32, cudaMemcpyDeviceToHost);
    cudaMemcpy(crc.data(), dc, n * 4, cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    const char *known[] = {"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                           "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                           "d7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592"};
    for (int i = 0; i < 4; i++) {
        char hex[65];
        for (int k = 0; k < 8; k++) snprintf(hex + 8 * k, 9, "%08x", digest[i * 8 + k]);
        if (strcmp(hex, known[i])) {
            printf("message %d: %s\n", i, hex);
            ok = false;
        }
    }
    ok &= crc[4] == 0xCBF43926;
    for (int i = 0; i < n; i++) {
        uint32_t c = ~0u;
        for (unsigned char b : msgs[i]) c = table[(c ^ b) & 255] ^ (c >> 8);
        ok &= crc[i] == ~c;
        for (int j = 0; j < i; j++) // different messages have different digests; the first two empty ones agree
            ok &= (msgs[i] == msgs[j]) == (memcmp(&digest[i * 8], &digest[j * 8], 32) == 0);
    }
    cudaFree(dt); cudaFree(ds); cudaFree(dd); cudaFree(dc);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
