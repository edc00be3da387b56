VENV ?= .venv
.PHONY: run
run:
	VENV=$(VENV) $(or $(PYTHON),python3) -m config.bootstrap
