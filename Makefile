# What a person types. Needs Node 20 or newer, npm and make; `npm ci` brings everything else, Node 24 too.

NODE := node_modules/.bin/node
# Tools find the repository's own Node before the machine's.
WITH_TOOLS := PATH="$(CURDIR)/node_modules/.bin:$$PATH"
# What one `make` of a clone does while others wait.
ALONE := sh scripts/make/alone.sh
INSTALLED := cmp -s package-lock.json node_modules/.installed-lock.json
CONTRACTS := $(shell find contracts -name '*.ts' 2>/dev/null)
SOURCES := $(CONTRACTS) $(shell find services bench -name '*.ts' 2>/dev/null)

.PHONY: help install build dashboard start tour test check format openapi schema bench clean

help: ## Show what there is
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16

install: ## Install exactly what package-lock.json names, when it changed
	@$(INSTALLED) || $(ALONE) sh -c '$(INSTALLED) || { \
	  echo "Installing packages: a minute or two, once" && \
	  npm ci --no-audit --no-fund --loglevel=error && cp package-lock.json node_modules/.installed-lock.json; }'

# The bundles contain packages, so they are built again when the lock changes.
dist/.built: $(SOURCES) package-lock.json tsconfig.json scripts/build/bundle.ts scripts/build/put-in-place.ts scripts/build/services.ts
	@$(NODE) scripts/build/services.ts # types are for `make check`

# The typed client that the journeys use; written from the document that is committed, by a package.
clients/typescript/index.ts: contracts/openapi/v1.json package-lock.json scripts/build/client.ts
	@$(NODE) scripts/build/client.ts

# The dashboard, which the gateway serves; it contains contracts and packages. A checkout without it builds and runs, too:
# the script then removes what was built before, so that the gateway serves none.
DASHBOARD := $(shell find clients/dashboard -type f 2>/dev/null)
ifeq ($(DASHBOARD),)
dashboard:
	@$(NODE) scripts/build/dashboard.ts
else
dashboard: dist/dashboard/index.html
endif
dist/dashboard/index.html: $(DASHBOARD) $(CONTRACTS) clients/typescript/index.ts package-lock.json \
    scripts/build/dashboard.ts scripts/build/put-in-place.ts
	@$(NODE) scripts/build/dashboard.ts

build: install ## Bundle the services into dist/, write the typed client, build the dashboard
	@[ -e dist/.built ] || echo "Building the services and the dashboard, once"
	@$(ALONE) $(MAKE) -s --no-print-directory clients/typescript/index.ts
	@$(ALONE) $(MAKE) -s --no-print-directory dist/.built
	@$(ALONE) $(MAKE) -s --no-print-directory dashboard

start: build ## Start the whole service on this machine; Ctrl-C stops it
	@exec $(NODE) scripts/start.ts

tour: install ## Move money through every rail of the service that `make start` runs
	@exec $(NODE) scripts/tour.ts

test: build ## Run every test on servers of its own; ARGS=services/ledger runs some
	@$(WITH_TOOLS) vitest run $(ARGS)

check: build ## Check everything that needs no running service
	@$(WITH_TOOLS) biome format
	@$(WITH_TOOLS) oxlint
	@$(WITH_TOOLS) tsc --noEmit -p .
	@[ ! -d clients/dashboard ] || $(WITH_TOOLS) tsc -p clients/dashboard
	@$(WITH_TOOLS) depcruise contracts services scripts test clients
	@$(WITH_TOOLS) knip
	@$(NODE) scripts/check.ts
	@[ ! -d clients/dashboard ] || $(WITH_TOOLS) size-limit --silent
	@$(NODE) scripts/openapi.ts check
	@$(NODE) scripts/asyncapi.ts check
	@$(WITH_TOOLS) REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true redocly lint v1

openapi: build ## Write contracts/openapi/v1.json and the client, and contracts/asyncapi/v1.json
	@$(NODE) scripts/openapi.ts write
	@$(NODE) scripts/asyncapi.ts write
	@$(MAKE) -s --no-print-directory clients/typescript/index.ts

schema: build ## Write services/<service>/store/schema.sql from the migrations
	@$(NODE) scripts/schema.ts

format: install ## Format the sources
	@$(WITH_TOOLS) biome format --write

bench: build ## Measure, and compare with what the machine could do
	@exec $(NODE) bench/run.ts $(ARGS)

clean: ## Remove dist/ and coverage/; node_modules/, clients/ and .local/ (the local service's data) stay
	@sh scripts/make/clean.sh
