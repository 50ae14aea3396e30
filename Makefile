# The front door. Every target first lets tools/bootstrap.sh install what is missing (nothing when all is there).
.PHONY: all run pictures test test-release test-asan test-long bench trained golden golden-everywhere fuzz population format docs check clean wheel install uninstall package

JOBS ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# Warnings are errors where we test: a newer compiler's new warning is no reason not to build.
WERROR ?= $(if $(CI),-DTHUD_WERROR=ON)

all: build/thud

.PHONY: build/thud
build/thud:
	@tools/bootstrap.sh build test
	@cmake --preset release -DTHUD_BUILD_TESTS=ON $(WERROR) >build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 1; }
	@rm -f build-configure.log
	@cmake --build build/release -j$(JOBS) --target thud

run: build/thud
	@tools/showcase.sh

pictures: build/thud
	@tools/pictures.sh

test: test-release test-asan

test-release:
	@tools/bootstrap.sh build test browser oracle python
	cmake --preset release -DTHUD_BUILD_TESTS=ON $(WERROR)
	cmake --build build/release -j$(JOBS)
	ctest --test-dir build/release -j$(JOBS) --output-on-failure

test-asan:
	@tools/bootstrap.sh build test oracle python
	cmake --preset asan $(WERROR)
	cmake --build build/asan -j$(JOBS)
	ctest --test-dir build/asan -j$(JOBS) --output-on-failure

# test-long: populations of thousands that the tests take a share of, elementary functions over 10^7 arguments; an hour
test-long: build/thud
	@tools/bootstrap.sh cross
	cmake --build build/release -j$(JOBS)
	ctest --test-dir build/release -C Long -L long -j$(JOBS) --output-on-failure

# golden: writes test/golden/hashes.txt anew, for changes of bits that are meant (docs/numerics.md)
golden:
	@tools/bootstrap.sh build test
	@cmake --preset release -DTHUD_BUILD_TESTS=ON $(WERROR) >/dev/null
	@cmake --build build/release -j$(JOBS) --target golden
	@GOLDEN_JOBS=$(JOBS) python3 tools/golden.py --write build/release/test/golden

# golden-everywhere: the same bits from other compilers, CPUs, C libraries and architectures (BUILDS="musl wasm" for some of them)
golden-everywhere:
	@tools/bootstrap.sh build cross
	@tools/golden_everywhere.sh $(BUILDS)

bench:
	@tools/bootstrap.sh build bench
	cmake --preset bench
	cmake --build build/bench -j$(JOBS)
	@tools/bench.sh $(BENCH)

# trained: build/trained/thud and the library beside it, laid out by how the bench's scenes run; the same bits in less time
trained:
	@tools/bootstrap.sh build
	@tools/train.sh

# fuzz: both loaders and the readers of meshes and images, a minute each (FUZZ=SECONDS); needs clang and its run-time library
fuzz:
	@tools/bootstrap.sh build fuzz
	@tools/fuzz.sh mjcf $(or $(FUZZ),60)
	@tools/fuzz.sh urdf $(or $(FUZZ),60)
	@for format in mesh image; do tools/fuzz.sh $$format $(or $(FUZZ),60) || exit 1; done

# population: scenes that nobody chose, run and judged by their recordings alone (POP=grasps|..., docs/trust.md). What is finished is
# not run again; ONLY=INDEX repeats one row.
population:
	@tools/bootstrap.sh oracle
	@PYTHONPATH=tools build/venv/bin/python -B -m population $(or $(POP),all) $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) \
	    $(if $(SHARE),--share $(SHARE)) $(if $(ONLY),--only $(ONLY)) $(if $(QUICK),--quick) $(if $(FRESH),--fresh) $(POPULATION)

format:
	@tools/bootstrap.sh check
	@tools/format.sh --write

# docs/api/ from the headers.
docs:
	@python3 tools/make_api.py

check:
	@tools/bootstrap.sh build test check
	@tools/format.sh
	@python3 tools/check_layers.py
	@python3 tools/check_budget.py
	@python3 tools/make_python.py --check
	@cmake --preset release -DTHUD_BUILD_TESTS=ON $(WERROR) >/dev/null
	@cmake --build build/release -j$(JOBS) --target thud_libraries >/dev/null
	@python3 tools/check_symbols.py
	@python3 tools/check_knots.py
	@python3 tools/check_stages.py
	@python3 tools/check_map.py
	@python3 tools/check_libm.py
	@python3 tools/make_elementary.py --check
	@tools/tidy.sh

install: build/thud
	cmake --build build/release -j$(JOBS) --target thud_libraries
	cmake --install build/release $(if $(PREFIX),--prefix $(PREFIX))

# uninstall: removes what the last install put there
uninstall:
	cmake --build build/release --target uninstall

# package: build/release/*.deb, the library, its headers and the program
package: build/thud
	cmake --build build/release -j$(JOBS) --target thud_libraries
	cd build/release && cpack -G DEB

# wheel: dist/*.whl, the Python package of this platform
wheel:
	@tools/bootstrap.sh build python
	build/venv/bin/python -m pip wheel . --no-build-isolation --no-deps --disable-pip-version-check -w dist

clean:
	rm -rf build out dist
