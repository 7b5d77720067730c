#!/usr/bin/env python3
"""PyTorch as a peer: the same transposes, permutations, flips and histograms on this machine's GPU.

Every row is the median of 15 runs between CUDA events, against copy_ of the same bytes measured in turn.
Writes CSV: op,case,useful_bytes,ms,GB_per_s,ratio_to_copy. usage: peers_torch.py [FILE]
"""
import statistics
import sys

import torch


def timed(call):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    call()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop)


def row(out, op, case, useful, call, reference):
    for _ in range(3):
        call()
        reference()
    pairs = [(timed(call), timed(reference)) for _ in range(15)]
    ms = statistics.median(p[0] for p in pairs)
    ratio = statistics.median(p[1] / p[0] for p in pairs)
    print(f"{op},{case},{useful},{ms:.5f},{useful / ms * 1e-6:.1f},{ratio:.4f}", file=out, flush=True)


def copy_like(out, op, case, source, view):
    target = torch.empty(view.shape, dtype=view.dtype, device="cuda")
    flat, other = source.reshape(-1), torch.empty_like(source).reshape(-1)
    useful = 2 * source.numel() * source.element_size()
    row(out, op, case, useful, lambda: target.copy_(view), lambda: other.copy_(flat))


def main():
    out = open(sys.argv[1], "w") if len(sys.argv) > 1 else sys.stdout
    print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}", file=out)
    print("op,case,useful_bytes,ms,GB_per_s,ratio_to_copy", file=out)
    types = {1: torch.uint8, 2: torch.bfloat16, 4: torch.float32, 8: torch.float64}
    for size, kind in types.items():
        for rows, cols in ((8192, 8192), (16384, 16384), (10000, 10000), (8191, 8193), (5000, 50000)):
            x = torch.randint(0, 100, (rows, cols), device="cuda").to(kind)
            copy_like(out, "transpose", f"{rows}x{cols} e{size}", x, x.t())
            del x
    for shape, perm in (((64, 256, 64, 256), (3, 2, 1, 0)), ((64, 256, 64, 256), (0, 3, 2, 1)),
                        ((64, 256, 64, 256), (2, 1, 0, 3)), ((25, 16, 8, 16, 11, 29, 11), (6, 3, 5, 2, 1, 0, 4))):
        x = torch.rand(shape, device="cuda")
        copy_like(out, "permute4", "x".join(map(str, shape)) + " p" + "".join(map(str, perm)), x, x.permute(perm))
        del x
    x = torch.rand(1 << 28, device="cuda")
    other = torch.empty_like(x)
    row(out, "flip", "1 GiB e4 (allocates)", 2 << 30, lambda: torch.flip(x, (0,)), lambda: other.copy_(x))
    whole = (x * 65536).to(torch.int32)
    for bins in (256, 4096, 65536, 1048576):
        scaled = whole % bins
        row(out, "bincount", f"i32 bins {bins}", 1 << 30, lambda: torch.bincount(scaled, minlength=bins), lambda: other.copy_(x))
        row(out, "histc", f"f32 bins {bins}", 1 << 30, lambda: torch.histc(x, bins, 0, 1), lambda: other.copy_(x))


if __name__ == "__main__":
    main()
