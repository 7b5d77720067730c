# lanewise: the front door. A newcomer needs `make demo` and `make check`; both install what is missing first.
BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

.PHONY: all help setup demo check check-asan check-ops bench programs format update fuzz install clean
all: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) -j$(JOBS)

help:
	@echo "make demo      build, then run a bank-conflicted transpose with no GPU and show the report"
	@echo "make check     all tests, release and ASan/UBSan builds"
	@echo "make check-ops the tests of liblanewise-ops, which take minutes to compile"
	@echo "make bench     speed of the executor, against Oclgrind and PoCL where they are installed"
	@echo "make programs  the wider collection of CUDA programs"
	@echo "make format    bring the C and CUDA sources into the project's format"
	@echo "make update    write again what is generated: pages, figures, expected outputs (PARTS=\"support golden\": only these)"
	@echo "make fuzz      build and run the fuzz targets, SECONDS=60 each (needs clang)"
	@echo "make install   to PREFIX=$(PREFIX)"

$(BUILD)/CMakeCache.txt:
	cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null

setup:
	@tools/setup.sh

demo: setup
	@$(MAKE) --no-print-directory all
	@echo
	@echo "$$ lanewise run examples/t15_transpose.cu"
	@$(BUILD)/lanewise run examples/t15_transpose.cu

# Every stage has a time budget (tests/budgets.csv). Warnings are errors here. Where there is nvcc, clang's tests are left to
# .ci/run.
LEFT_OUT = ops|browser$(if $(shell nvcc --version 2>/dev/null),|clang)
STAGE = tools/stage.sh
check:
	@tools/setup.sh --check
	@$(STAGE) format tools/format.sh --check
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DLANEWISE_WERROR=ON >/dev/null
	@$(STAGE) build cmake --build $(BUILD) -j$(JOBS)
	@$(STAGE) tests sh -c 'cd $(BUILD) && ctest --output-on-failure -j$(JOBS) -LE "$(LEFT_OUT)"'
	@$(MAKE) --no-print-directory check-asan

# The same tests with the address and undefined-behaviour sanitizers (without the programs: nvcc's output is not ours), and
# with few of the random kernels; .ci/run has more of them.
check-asan:
	@cmake -S . -B build-asan -DCMAKE_BUILD_TYPE=Release -DLANEWISE_WERROR=ON -DLANEWISE_SANITIZE=address,undefined >/dev/null
	@$(STAGE) build-asan cmake --build build-asan -j$(JOBS)
	@$(STAGE) tests-asan sh -c 'cd build-asan && LW_RANDOM_COUNT=40 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
	    ctest --output-on-failure -j$(JOBS) -LE compiler'

check-ops: setup
	@$(MAKE) --no-print-directory all
	cd $(BUILD) && ctest --output-on-failure -j$(JOBS) -L ops

bench: setup
	@$(MAKE) --no-print-directory all
	cmake --build $(BUILD) -j$(JOBS) --target lanewise_bench
	bench/run.sh $(BUILD)

programs: all
	@for s in programs programs2; do tests/programs/run_all.sh --source tests/$$s --build $(BUILD)/$$s --jobs $(JOBS) \
	    --nvcc-flags "-lineinfo -L$(CURDIR)/$(BUILD)/lib" \
	    --runner "$(CURDIR)/$(BUILD)/lanewise run --no-report" || exit 1; done

format:
	@tools/format.sh

# Writes again what is generated: pages, expected outputs, figures (tools/update.sh lists the parts).
update: all
	@tools/update.sh $(BUILD) $(PARTS)

# Fuzz targets, SECONDS each.
SECONDS ?= 60
fuzz:
	@tools/fuzz.sh $(SECONDS)

install: all
	cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf build build-*
