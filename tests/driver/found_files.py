"""What clients find of NVIDIA's files: the device, libraries by their paths, an assembler. Prints "ok found_files.py"."""
import ctypes
import os
import subprocess
import tempfile

with tempfile.TemporaryDirectory() as folder:
    ptxas = os.path.join(folder, "ptxas")
    with open(ptxas, "w") as file:
        file.write("#!/bin/sh\necho the toolkit\n")
    os.chmod(ptxas, 0o755)

    def version():
        return subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout

    assert version() == "the toolkit\n", "a process without the driver assembles for somebody else"
    ctypes.CDLL("libcuda.so.1")
    assert version().startswith("ptxas: the stand-in of lanewise"), version()

    # a package that brings NVIDIA's library: one that is empty here
    for name in ("libcublas.so.13", "libcublas.so"):
        own = os.path.join(folder, name)
        open(own, "w").close()
        assert ctypes.c_char.in_dll(ctypes.CDLL(own), "lw_cublas_marker").value == b"l", name
    try:
        other = os.path.join(folder, "libcublas.so.99")
        open(other, "w").close()
        ctypes.CDLL(other)
        raise AssertionError("a library that lanewise has none of was replaced")
    except OSError:
        pass

assert os.path.exists("/dev/nvidia0") and os.access("/dev/nvidiactl", os.R_OK)
assert not os.path.exists("/dev/nvidia-none")
print("ok found_files.py")
