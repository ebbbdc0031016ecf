import { Body, Controller, Get, Inject, Param, Post, Put, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import { Refusal } from "../../../../contracts/errors.ts";
import type { ErrorCode } from "../../../../contracts/errors.ts";
import {
  type Counterparty,
  counterparty,
  type CounterpartyBody,
  counterpartyBody,
  counterpartyPage,
  counterpartyQuery,
} from "../../../../contracts/http/payments/counterparties.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  ArchiveCounterparty,
  CreateCounterparty,
  GetCounterparty,
  ListCounterparties,
  ReplaceCounterparty,
  RestoreCounterparty,
  VerifyCounterparty,
} from "../../../../contracts/messages/orders.ts";
import { SecretCipher } from "../../../platform/encryption/secret-cipher.ts";
import { setEntityTag, ifMatchVersions } from "../../http/entity-tag.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const counterpartyId = { id: "cp" } as const;
const ofDetails: readonly ErrorCode[] = [
  "external_id_in_use",
  "invalid_routing_number",
  "invalid_wallet_address",
];

/** The parties that a book pays and collects from. Each route sends a request to orders. */
@ApiTags("Counterparties")
@Controller("v1/counterparties")
export class CounterpartiesController {
  readonly #services: ServiceClient;
  readonly #cipher: SecretCipher;

  constructor(@Inject(ServiceClient) services: ServiceClient, @Inject(SecretCipher) cipher: SecretCipher) {
    this.#services = services;
    this.#cipher = cipher;
  }

  @Post()
  @Operation({
    id: "createCounterparty",
    summary: "Create a counterparty",
    access: "counterparties:write",
    takes: ["body"],
    writes: true,
    hasETag: true,
    answers: { status: 201, schema: counterparty, as: "The counterparty" },
    refusals: ofDetails,
  })
  async create(
    @Body({ schema: counterpartyBody }) body: CounterpartyBody,
    @Http() http: HttpContext,
  ): Promise<Counterparty> {
    const { value } = await this.#services.write(CreateCounterparty, http, this.#withEncryptedNumbers(body));
    http.setLocation(`/v1/counterparties/${value.id}`);
    setEntityTag(http.reply, value.version);
    return value;
  }

  @Get()
  @Operation({
    id: "listCounterparties",
    summary: "List counterparties",
    access: "orders:read",
    takes: ["query"],
    answers: { status: 200, schema: counterpartyPage, as: "A page of counterparties" },
  })
  async list(
    @Query({ schema: counterpartyQuery }) query: z.infer<typeof counterpartyQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<Counterparty>> {
    const page = await this.#services.read(ListCounterparties, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getCounterparty",
    summary: "Read a counterparty",
    access: "orders:read",
    path: counterpartyId,
    hasETag: true,
    answers: { status: 200, schema: counterparty, as: "The counterparty" },
  })
  async read(@Param("id") id: string, @Http() http: HttpContext): Promise<Counterparty> {
    const found = await this.#services.read(GetCounterparty, http, { id });
    setEntityTag(http.reply, found.version);
    return found;
  }

  @Put(":id")
  @Operation({
    id: "replaceCounterparty",
    summary: "Replace a counterparty",
    access: "counterparties:write",
    path: counterpartyId,
    takes: ["body"],
    writes: true,
    hasETag: true,
    takesIfMatch: true,
    answers: { status: 200, schema: counterparty, as: "The counterparty" },
    refusals: ofDetails,
  })
  async replace(
    @Param("id") id: string,
    @Body({ schema: counterpartyBody }) body: CounterpartyBody,
    @Http() http: HttpContext,
  ): Promise<Counterparty> {
    const ifMatch = ifMatchVersions(http.request);
    const change = { ...this.#withEncryptedNumbers(body), id, ifMatch };
    const { value } = await this.#services.write(ReplaceCounterparty, http, change);
    setEntityTag(http.reply, value.version);
    return value;
  }

  @Post(":id/verify")
  @Operation({
    id: "verifyCounterparty",
    summary: "Verify a counterparty",
    access: "counterparties:write",
    path: counterpartyId,
    takes: ["body"],
    writes: true,
    isDecision: true,
    // Somebody else has entered the account, and whoever verifies it vouches for it.
    confirmedFor: "counterparties:write",
    audited: "CounterpartyVerified",
    hasETag: true,
    takesIfMatch: true,
    answers: { status: 200, schema: counterparty, as: "The counterparty, Verified or Failed" },
    refusals: ["self_approval_not_allowed", "counterparty_account_missing", "rail_not_configured"],
  })
  async verify(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<Counterparty> {
    const ifMatch = ifMatchVersions(http.request);
    if (http.known.session !== null && (ifMatch === undefined || ifMatch.length > 1)) {
      throw new Refusal(
        "invalid_request",
        "Send the header If-Match with the one ETag that you read: what you verify is what you have seen.",
      );
    }
    const { value } = await this.#services.write(VerifyCounterparty, http, { id, ifMatch });
    setEntityTag(http.reply, value.version);
    return value;
  }

  @Post(":id/archive")
  @Operation({
    id: "archiveCounterparty",
    summary: "Archive a counterparty",
    access: "counterparties:write",
    path: counterpartyId,
    takes: ["body"],
    writes: true,
    hasETag: true,
    takesIfMatch: true,
    answers: { status: 200, schema: counterparty, as: "The counterparty, archived" },
  })
  async archive(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<Counterparty> {
    const ifMatch = ifMatchVersions(http.request);
    const { value } = await this.#services.write(ArchiveCounterparty, http, { id, ifMatch });
    setEntityTag(http.reply, value.version);
    return value;
  }

  @Post(":id/restore")
  @Operation({
    id: "restoreCounterparty",
    summary: "Restore a counterparty",
    access: "counterparties:write",
    path: counterpartyId,
    takes: ["body"],
    writes: true,
    hasETag: true,
    takesIfMatch: true,
    answers: { status: 200, schema: counterparty, as: "The counterparty" },
  })
  async restore(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<Counterparty> {
    const ifMatch = ifMatchVersions(http.request);
    const { value } = await this.#services.write(RestoreCounterparty, http, { id, ifMatch });
    setEntityTag(http.reply, value.version);
    return value;
  }

  /** Account numbers leave this process only encrypted. */
  #withEncryptedNumbers(body: CounterpartyBody) {
    const accounts = body.accounts.map((account) => ({
      ...account,
      accountNumber: this.#cipher.encrypt(account.accountNumber),
    }));
    return { ...body, accounts };
  }
}
