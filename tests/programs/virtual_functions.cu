// C++ classes in device code: objects made on the device, virtual calls, inheritance, operators, destructors.
#include <cmath>
#include <cstdio>

class Shape {
public:
    __device__ Shape(int id) : id_(id) {}
    __device__ virtual ~Shape() { atomicAdd(alive_, -1); }
    __device__ virtual float area() const = 0;
    __device__ virtual float perimeter() const { return -1; }
    __device__ int id() const { return id_; }
    __device__ void track(int *alive) {
        alive_ = alive;
        atomicAdd(alive_, 1);
    }

private:
    int id_;
    int *alive_ = nullptr;
};

class Circle : public Shape {
    float r_;

public:
    __device__ Circle(int id, float r) : Shape(id), r_(r) {}
    __device__ float area() const override { return 3.0f * r_ * r_; }
    __device__ float perimeter() const override { return 6.0f * r_; }
};

class Rect : public Shape {
protected:
    float w_, h_;

public:
    __device__ Rect(int id, float w, float h) : Shape(id), w_(w), h_(h) {}
    __device__ float area() const override { return w_ * h_; }
};

class Square final : public Rect {
public:
    __device__ Square(int id, float s) : Rect(id, s, s) {}
    __device__ float perimeter() const override { return 4 * w_; }
};

__global__ void create(Shape **shapes, int n, int *alive) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    switch (i % 3) {
    case 0: shapes[i] = new Circle(i, i * 0.5f); break;
    case 1: shapes[i] = new Rect(i, i, 2); break;
    default: shapes[i] = new Square(i, i); break;
    }
    shapes[i]->track(alive);
}

__global__ void measure(Shape **shapes, int n, float *area, float *perimeter) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Shape *s = shapes[n - 1 - i];
    area[s->id()] = s->area();
    perimeter[s->id()] = s->perimeter();
}

__global__ void destroy(Shape **shapes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) delete shapes[i];
}

int main() {
    const int n = 100;
    Shape **shapes;
    float *area, *perimeter;
    int *alive, count;
    cudaMalloc(&shapes, n * sizeof(Shape *));
    cudaMallocManaged(&area, n * sizeof(float));
    cudaMallocManaged(&perimeter, n * sizeof(float));
    cudaMalloc(&alive, sizeof(int));
    cudaMemset(alive, 0, sizeof(int));
    create<<<4, 32>>>(shapes, n, alive);
    cudaMemcpy(&count, alive, sizeof(int), cudaMemcpyDeviceToHost);
    bool ok = count == n;
    measure<<<2, 64>>>(shapes, n, area, perimeter);
    ok &= cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < n && ok; i++) {
        float a = i % 3 == 0 ? 3.0f * (i * 0.5f) * (i * 0.5f) : i % 3 == 1 ? i * 2.0f : (float)i * i;
        float p = i % 3 == 0 ? 6.0f * (i * 0.5f) : i % 3 == 1 ? -1.0f : 4.0f * i;
        if (area[i] != a || perimeter[i] != p) {
            printf("shape %d: %f %f, expected %f %f\n", i, area[i], perimeter[i], a, p);
            ok = false;
        }
    }
    destroy<<<4, 32>>>(shapes, n);
    cudaMemcpy(&count, alive, sizeof(int), cudaMemcpyDeviceToHost);
    ok &= count == 0 && cudaGetLastError() == cudaSuccess;
    cudaFree(shapes);
    cudaFree(area);
    cudaFree(perimeter);
    cudaFree(alive);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
