# lanewise: the front door. `make` builds build/lanewise; `make demo` and `make check` install what is missing first.
BUILD ?= build
JOBS ?= $(shell nproc)

.PHONY: all setup demo check bench format install clean
all: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) -j$(JOBS)
$(BUILD)/CMakeCache.txt:
	cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
clean:
	rm -rf build build-asan build-tsan build-clang
