import { Controller, Get, Inject, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import { Refusal } from "../../../contracts/errors.ts";
import {
  maxHitsPerKind,
  type SearchHit,
  type SearchKind,
  searchKind,
  type SearchQuery,
  searchQuery,
  type SearchResult,
  searchResult,
} from "../../../contracts/http/search.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { Operation } from "../operation/operation.ts";
import { ServiceClient } from "../upstream/service-client.ts";
import { amountIn } from "./domain/search-terms.ts";
import { findersById, findersByText, type Read } from "./finders.ts";

/** The kinds that are open to whoever may search; all others need `ledger:read`. */
const openKinds: readonly SearchKind[] = ["PaymentOrder", "Counterparty"];
/** A service that takes longer is named as away: somebody is typing. */
const deadlineMs = 2_000;

/** The search of a book: what a person types is looked up in every service at once. */
@ApiTags("Search")
@Controller("v1/search")
export class SearchController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get()
  @Operation({
    id: "search",
    summary: "Search a book",
    access: "orders:read",
    takes: ["query"],
    answers: { status: 200, schema: searchResult, as: "What was found" },
    refusals: ["missing_field"],
    readsAsList: true,
  })
  async search(
    @Query({ schema: searchQuery }) { q }: SearchQuery,
    @Http() http: HttpContext,
  ): Promise<SearchResult> {
    const isOpen = (kind: SearchKind) => openKinds.includes(kind) || http.known.scopes.has("ledger:read");
    const amountCents = amountIn(q);
    const read: Read = (type, data) => this.#services.read(type, http, data, { deadlineMs });
    const finders = findersById(q, read) ?? findersByText(q, amountCents, read);
    const unavailable = new Set<SearchKind>();
    const found = await Promise.all(
      finders
        .filter(({ kinds }) => kinds.every(isOpen))
        .map(({ kinds, find }) =>
          find().catch((error: unknown): SearchHit[] => {
            if (!(error instanceof Refusal)) throw error;
            if (error.code === "not_found") return [];
            if (!["service_unavailable", "upstream_timeout"].includes(error.code)) throw error;
            for (const kind of kinds) unavailable.add(kind);
            return [];
          }),
        ),
    );
    return {
      amountCents,
      data: eightOfEach(found.flat()),
      leftOut: searchKind.options.filter((kind) => !isOpen(kind)),
      unavailable: searchKind.options.filter((kind) => unavailable.has(kind)),
    };
  }
}

/** Each object once, by the first match, and at most eight of each kind. */
function eightOfEach(hits: readonly SearchHit[]): SearchHit[] {
  const once = [...new Map(hits.toReversed().map((hit) => [hit.id, hit])).values()].toReversed();
  return searchKind.options.flatMap((kind) =>
    once.filter((hit) => hit.kind === kind).slice(0, maxHitsPerKind),
  );
}
