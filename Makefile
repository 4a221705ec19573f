# make demo    set up, and do the main job once: a project, a compile, a tool run, a push
# make test    set up, and run the tests
# make check   lint, format, types and tests
# make bench   measure start-up and compiles
.PHONY: demo test check bench

demo test check:
	@scripts/$@

bench:
	@scripts/setup dev
	@.venv/bin/python bench/run.py
	@.venv/bin/python bench/running.py
