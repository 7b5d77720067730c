/* Programs whose answer depends on the order in which a card runs warps and blocks. Each runs one small kernel and prints what
 * came out; `PROGRAM N` launches it N times (1 without an argument) and prints how often each answer came, as CSV.
 */
#pragma once
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

/* One launch: writes the answer, a short text without commas. */
static std::string answer(void);

static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(status));
        exit(1);
    }
}

template <typename T> static T *device_array(const std::vector<T> &values)
{
    T *p;
    check(cudaMalloc((void **)&p, values.size() * sizeof(T)));
    check(cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

template <typename T> static std::vector<T> host_copy(const T *p, size_t n)
{
    std::vector<T> values(n);
    check(cudaGetLastError());
    check(cudaMemcpy(values.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

template <typename... A> static std::string text(const char *format, A... values)
{
    char line[512];
    snprintf(line, sizeof line, format, values...);
    return line;
}

int main(int argc, char **argv)
{
    std::map<std::string, int> seen;
    std::string name = argv[0];
    name = name.substr(name.rfind('/') + 1);
    for (int k = argc > 1 ? atoi(argv[1]) : 1; k > 0; k--) seen[answer()]++;
    for (auto &one : seen) printf("%s,%s,%d\n", name.c_str(), one.first.c_str(), one.second);
    return 0;
}
