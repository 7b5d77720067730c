// Managed memory: a class that allocates itself managed, a linked list, strings, prefetch and advice.
#include <cstdio>
#include <cstring>
#include <new>

class Managed {
public:
    void *operator new(size_t len) {
        void *ptr;
        if (cudaMallocManaged(&ptr, len) != cudaSuccess) throw std::bad_alloc();
        cudaDeviceSynchronize();
        return ptr;
    }
    void operator delete(void *ptr) {
        cudaDeviceSynchronize();
        cudaFree(ptr);
    }
};

class String : public Managed {
    int length;
    char *data;
    void _realloc(int len) {
        cudaFree(data);
        length = len;
        cudaMallocManaged(&data, length + 1);
    }

public:
    String() : length(0), data(nullptr) {}
    String(const String &s) : length(0), data(nullptr) {
        _realloc(s.length);
        strcpy(data, s.data);
    }
    ~String() { cudaFree(data); }
    String &operator=(const char *s) {
        _realloc((int)strlen(s));
        strcpy(data, s);
        return *this;
    }
    __host__ __device__ char &operator[](int pos) const { return data[pos]; }
    __host__ __device__ const char *c_str() const { return data; }
    __host__ __device__ int size() const { return length; }
};

struct DataElement : public Managed {
    String name;
    int value = 0;
};

__global__ void Kernel_by_pointer(DataElement *elem) {
    printf("On device by pointer:       name=%s, value=%d\n", elem->name.c_str(), elem->value);
    elem->name[0] = 'p';
    elem->value++;
}
__global__ void Kernel_by_ref(DataElement &elem) {
    printf("On device by ref:           name=%s, value=%d\n", elem.name.c_str(), elem.value);
    elem.name[0] = 'r';
    elem.value++;
}

struct Node {
    int value;
    Node *next;
};

__global__ void walk(Node *head, int *sum) {
    for (Node *n = head; n; n = n->next) {
        *sum += n->value;
        n->value = -n->value;
    }
}

__global__ void increment(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i]++;
}

int main() {
    bool ok = true;
    DataElement *e = new DataElement;
    e->value = 10;
    e->name = "hello";
    Kernel_by_pointer<<<1, 1>>>(e);
    cudaDeviceSynchronize();
    ok &= e->value == 11 && strcmp(e->name.c_str(), "pello") == 0;
    Kernel_by_ref<<<1, 1>>>(*e);
    cudaDeviceSynchronize();
    ok &= e->value == 12 && strcmp(e->name.c_str(), "rello") == 0;
    delete e;

    Node *head = nullptr;
    for (int i = 1; i <= 50; i++) {
        Node *n;
        cudaMallocManaged(&n, sizeof(Node));
        *n = {i, head};
        head = n;
    }
    int *sum;
    cudaMallocManaged(&sum, sizeof(int));
    *sum = 0;
    walk<<<1, 1>>>(head, sum);
    ok &= cudaDeviceSynchronize() == cudaSuccess && *sum == 50 * 51 / 2;
    while (head) {
        Node *next = head->next;
        ok &= head->value < 0;
        cudaFree(head);
        head = next;
    }
    cudaFree(sum);

    const int n = 10000;
    int *a, device = 0;
    cudaMallocManaged(&a, n * sizeof(int));
    for (int i = 0; i < n; i++) a[i] = i;
    cudaMemLocation gpu = {cudaMemLocationTypeDevice, device}, cpu = {cudaMemLocationTypeHost, 0};
    cudaMemAdvise(a, n * sizeof(int), cudaMemAdviseSetPreferredLocation, gpu);
    cudaMemPrefetchAsync(a, n * sizeof(int), gpu, 0, 0);
    increment<<<(n + 255) / 256, 256>>>(a, n);
    cudaMemPrefetchAsync(a, n * sizeof(int), cpu, 0, 0);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) ok &= a[i] == i + 1;
    cudaGetLastError(); // prefetch and advice may be unsupported; the values must be right all the same
    cudaFree(a);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
