// A byte-code interpreter per thread: dense switches (jump tables), sparse switches, nested loops, labelled exits.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum Op { PUSH, ADD, SUB, MUL, DUP, SWAP, DROP, JNZ, DEC, OVER, XORI, SHL, HALT, OPS };

struct Instr {
    unsigned char op;
    signed char arg;
};

__host__ __device__ int interpret(const Instr *code, int len, int seed, int limit) {
    int stack[16], sp = 0, pc = 0, steps = 0;
    stack[sp++] = seed;
    while (pc >= 0 && pc < len && steps++ < limit) {
        Instr in = code[pc++];
        switch (in.op) {
        case PUSH: if (sp < 16) stack[sp++] = in.arg; break;
        case ADD: if (sp > 1) { stack[sp - 2] += stack[sp - 1]; sp--; } break;
        case SUB: if (sp > 1) { stack[sp - 2] -= stack[sp - 1]; sp--; } break;
        case MUL: if (sp > 1) { stack[sp - 2] = (int)((unsigned)stack[sp - 2] * (unsigned)stack[sp - 1]); sp--; } break;
        case DUP: if (sp < 16 && sp > 0) { stack[sp] = stack[sp - 1]; sp++; } break;
        case SWAP: if (sp > 1) { int t = stack[sp - 1]; stack[sp - 1] = stack[sp - 2]; stack[sp - 2] = t; } break;
        case DROP: if (sp > 1) sp--; break;
        case JNZ: if (stack[sp - 1] & 15) pc += in.arg; break;
        case DEC: stack[sp - 1]--; break;
        case OVER: if (sp < 16 && sp > 1) { stack[sp] = stack[sp - 2]; sp++; } break;
        case XORI: stack[sp - 1] ^= in.arg; break;
        case SHL: stack[sp - 1] = (int)((unsigned)stack[sp - 1] << (in.arg & 7)); break;
        case HALT: return (int)((unsigned)stack[sp - 1] * 31u + sp);
        default: return -1;
        }
    }
    return (int)((unsigned)stack[sp - 1] ^ (unsigned)(steps << 8));
}

__host__ __device__ int sparse(int v) {
    switch (v) {
    case -5: return 1;
    case 0: return 2;
    case 3: case 4: case 5: v += 10; // falls through
    case 17: return v * 2;
    case 100: return 3;
    case 1000: return 4;
    case 65536: return 5;
    default: return v & 1 ? 6 : 7;
    }
}

__host__ __device__ int triangle(int n) { // the first (a, b, c) with a^2 + b^2 == c^2 and a + b + c >= n
    for (int c = 5; c < 100; c++)
        for (int b = 4; b < c; b++) {
            if (b * b * 2 < c * c) continue;
            for (int a = 3; a <= b; a++) {
                if (a * a + b * b > c * c) break;
                if (a * a + b * b == c * c && a + b + c >= n) return a * 10000 + b * 100 + c;
            }
        }
    return -1;
}

__global__ void run(const Instr *code, const int *start, int programs, int n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int p = i % programs;
    out[i * 3] = interpret(code + start[p], start[p + 1] - start[p], i, 200);
    const int probes[] = {-5, 0, 3, 4, 5, 17, 100, 1000, 65536, 18};
    out[i * 3 + 1] = sparse(probes[i % 10] + (i / 50 % 2));
    out[i * 3 + 2] = triangle(i % 97);
}

int main() {
    const int programs = 37, n = 1000;
    std::vector<Instr> code;
    std::vector<int> start(1, 0), got(n * 3);
    for (int p = 0; p < programs; p++) {
        int len = 5 + rand() % 30;
        for (int k = 0; k < len; k++) code.push_back({(unsigned char)(rand() % OPS), (signed char)(rand() % 21 - 10)});
        if (p % 2) code.push_back({HALT, 0});
        start.push_back((int)code.size());
    }
    Instr *dc;
    int *ds, *d;
    cudaMalloc(&dc, code.size() * sizeof(Instr));
    cudaMalloc(&ds, start.size() * sizeof(int));
    cudaMalloc(&d, got.size() * sizeof(int));
    cudaMemcpy(dc, code.data(), code.size() * sizeof(Instr), cudaMemcpyHostToDevice);
    cudaMemcpy(ds, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice);
    run<<<(n + 63) / 64, 64>>>(dc, ds, programs, n, d);
    cudaMemcpy(got.data(), d, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
    int bad = cudaGetLastError() != cudaSuccess;
    const int probes[] = {-5, 0, 3, 4, 5, 17, 100, 1000, 65536, 18};
    for (int i = 0; i < n; i++) {
        int p = i % programs;
        bad += got[i * 3] != interpret(code.data() + start[p], start[p + 1] - start[p], i, 200);
        bad += got[i * 3 + 1] != sparse(probes[i % 10] + (i / 50 % 2));
        bad += got[i * 3 + 2] != triangle(i % 97);
    }
    cudaFree(dc); cudaFree(ds); cudaFree(d);
    printf(bad ? "%d wrong\nFAIL\n" : "PASS\n", bad);
    return bad != 0;
}
