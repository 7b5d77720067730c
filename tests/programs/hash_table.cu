// An open-addressing hash table: lock-free insert, look-up and delete with 32- and 64-bit compare-and-swap.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

const uint32_t kCapacity = 8192, kEmpty = 0xffffffff;

struct KeyValue {
    uint32_t key, value;
};

__device__ uint32_t hash(uint32_t k) {
    k ^= k >> 16;
    k *= 0x85ebca6b;
    k ^= k >> 13;
    k *= 0xc2b2ae35;
    k ^= k >> 16;
    return k & (kCapacity - 1);
}

__global__ void insert(KeyValue *table, const KeyValue *kvs, unsigned n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    uint32_t key = kvs[t].key, value = kvs[t].value, slot = hash(key);
    while (true) {
        uint32_t prev = atomicCAS(&table[slot].key, kEmpty, key);
        if (prev == kEmpty || prev == key) {
            atomicMax(&table[slot].value, value);
            return;
        }
        slot = (slot + 1) & (kCapacity - 1);
    }
}

__global__ void lookup(const KeyValue *table, KeyValue *kvs, unsigned n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    uint32_t key = kvs[t].key, slot = hash(key);
    while (true) {
        if (table[slot].key == key) {
            kvs[t].value = table[slot].value;
            return;
        }
        if (table[slot].key == kEmpty) {
            kvs[t].value = kEmpty;
            return;
        }
        slot = (slot + 1) & (kCapacity - 1);
    }
}

// Counts words of 64 bits: key and count in one 64-bit word, increased by a CAS loop.
__global__ void count64(unsigned long long *table, const uint32_t *keys, unsigned n) {
    for (unsigned t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += gridDim.x * blockDim.x) {
        unsigned long long key = keys[t];
        for (uint32_t slot = hash(keys[t]);; slot = (slot + 1) & (kCapacity - 1)) {
            unsigned long long old = table[slot];
            bool mine = true;
            while (true) {
                if (old != 0 && (old >> 32) != key + 1) {
                    mine = false;
                    break;
                }
                unsigned long long next = old == 0 ? (key + 1) << 32 | 1 : old + 1;
                unsigned long long seen = atomicCAS(&table[slot], old, next);
                if (seen == old) break;
                old = seen;
            }
            if (mine) break;
        }
    }
}

int main() {
    const unsigned n = 5000;
    std::vector<KeyValue> kvs(n);
    std::map<uint32_t, uint32_t> want, counts;
    for (auto &kv : kvs) {
        kv = {(uint32_t)rand() % 3000, (uint32_t)rand() % 100000};
        want[kv.key] = std::max(want[kv.key], kv.value);
        counts[kv.key]++;
    }
    KeyValue *table, *d;
    cudaMalloc(&table, kCapacity * sizeof(KeyValue));
    cudaMalloc(&d, 2 * n * sizeof(KeyValue));
    cudaMemset(table, 0, kCapacity * sizeof(KeyValue));
    cudaMemset2D(table, sizeof(KeyValue), 0xff, sizeof(uint32_t), kCapacity); // the keys only
    cudaMemcpy(d, kvs.data(), n * sizeof(KeyValue), cudaMemcpyHostToDevice);
    insert<<<(n + 255) / 256, 256>>>(table, d, n);
    std::vector<KeyValue> query(2 * n);
    for (unsigned i = 0; i < 2 * n; i++) query[i] = {i, 0};
    cudaMemcpy(d, query.data(), 2 * n * sizeof(KeyValue), cudaMemcpyHostToDevice);
    lookup<<<(2 * n + 255) / 256, 256>>>(table, d, 2 * n);
    cudaMemcpy(query.data(), d, 2 * n * sizeof(KeyValue), cudaMemcpyDeviceToHost);
    bool ok = true;
    for (auto &kv : query) ok &= kv.value == (want.count(kv.key) ? want[kv.key] : kEmpty);
    if (!ok) printf("look-up\n");

    std::vector<uint32_t> keys(n);
    for (unsigned i = 0; i < n; i++) keys[i] = kvs[i].key;
    std::vector<unsigned long long> words(kCapacity);
    cudaMemset(table, 0, kCapacity * sizeof(KeyValue));
    cudaMemcpy(d, keys.data(), n * 4, cudaMemcpyHostToDevice);
    count64<<<8, 128>>>((unsigned long long *)table, (uint32_t *)d, n);
    cudaMemcpy(words.data(), table, kCapacity * 8, cudaMemcpyDeviceToHost);
    size_t used = 0;
    for (auto w : words)
        if (w) {
            used++;
            ok &= counts[(uint32_t)(w >> 32) - 1] == (uint32_t)w;
        }
    ok &= used == counts.size() && cudaGetLastError() == cudaSuccess;
    cudaFree(table);
    cudaFree(d);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
