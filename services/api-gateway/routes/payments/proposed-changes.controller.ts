import { Body, Controller, Get, Inject, Param, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import { type Counterparty, counterparty } from "../../../../contracts/http/payments/counterparties.ts";
import {
  type ProposedChange,
  proposedChange,
  proposedChangePage,
  proposedChangeQuery,
} from "../../../../contracts/http/payments/proposed-changes.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  AcceptProposedChange,
  DismissProposedChange,
  ListProposedChanges,
} from "../../../../contracts/messages/orders.ts";
import { ifMatchVersions, setEntityTag } from "../../http/entity-tag.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const decides = {
  access: "counterparties:write",
  path: { id: "cp", changeId: "chg" },
  takes: ["body"],
  writes: true,
  isDecision: true,
} as const;

/** What banks correct of counterparties. Each route sends a request to orders. */
@ApiTags("Counterparties")
@Controller("v1/counterparties/:id/proposed-changes")
export class ProposedChangesController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get()
  @Operation({
    id: "listProposedChanges",
    summary: "List proposed changes of a counterparty",
    access: "orders:read",
    path: { id: "cp" },
    takes: ["query"],
    answers: { status: 200, schema: proposedChangePage, as: "A page of proposed changes" },
  })
  async list(
    @Param("id") id: string,
    @Query({ schema: proposedChangeQuery }) query: z.infer<typeof proposedChangeQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<ProposedChange>> {
    const page = await this.#services.read(ListProposedChanges, http, { id, ...query });
    http.linkTo(page);
    return page;
  }

  @Post(":changeId/accept")
  @Operation({
    id: "acceptProposedChange",
    summary: "Accept a proposed change",
    audited: "ProposedChangeAccepted",
    ...decides,
    confirmedFor: "counterparties:write",
    hasETag: true,
    takesIfMatch: true,
    answers: { status: 200, schema: counterparty, as: "The counterparty, with the corrected data" },
    refusals: ["invalid_state_transition", "invalid_routing_number"],
  })
  async accept(
    @Param("id") id: string,
    @Param("changeId") changeId: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<Counterparty> {
    const ifMatch = ifMatchVersions(http.request);
    const { value } = await this.#services.write(AcceptProposedChange, http, { id, changeId, ifMatch });
    setEntityTag(http.reply, value.version);
    return value;
  }

  @Post(":changeId/dismiss")
  @Operation({
    id: "dismissProposedChange",
    summary: "Dismiss a proposed change",
    ...decides,
    answers: { status: 200, schema: proposedChange, as: "The proposed change, Dismissed" },
    refusals: ["invalid_state_transition"],
  })
  async dismiss(
    @Param("id") id: string,
    @Param("changeId") changeId: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<ProposedChange> {
    return (await this.#services.write(DismissProposedChange, http, { id, changeId })).value;
  }
}
