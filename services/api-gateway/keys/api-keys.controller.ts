import { Body, Controller, Get, Inject, Param, Post, Query, Res } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import {
  type ApiKey,
  type ApiKeyCreate,
  type ApiKeyCreated,
  type ApiKeyQuery,
  type ApiKeyRevoke,
  type ApiKeyRevoked,
  type ApiKeyRotate,
  apiKey,
  apiKeyCreate,
  apiKeyCreated,
  apiKeyPage,
  apiKeyQuery,
  apiKeyRevoke,
  apiKeyRevoked,
  apiKeyRotate,
} from "../../../contracts/http/api-keys.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { KeyCache } from "../auth/key-cache.ts";
import { Operation } from "../operation/operation.ts";
import { GatewayWrites } from "../upstream/gateway-writes.ts";
import { findKey, findKeys, parseKeyId } from "./query-keys.ts";
import { type CreatedKey, createKey } from "./create-key.ts";
import { KeyAuditLog } from "../audit/key-audit-log.ts";
import { endDescendants, readRevoked, revokeKeyOfBook } from "./revoke-key.ts";
import { rotateKey } from "./rotate-key.ts";
import { SendApprovalRights } from "./send-approval-rights.ts";

const keyId = { id: "key" } as const;
const waiting = {
  status: 202,
  schema: apiKeyCreated,
  as: "The key, Pending: another principal must approve its proposal before it can be used",
} as const;

/** API keys, managed by the tenant's own principals. The gateway owns keys, so no service is called. */
@ApiTags("API keys")
@Controller("v1/api-keys")
export class ApiKeysController {
  readonly #writes: GatewayWrites;
  readonly #database: Database;
  readonly #known: KeyCache;
  readonly #rights: SendApprovalRights;

  constructor(
    @Inject(GatewayWrites) writes: GatewayWrites,
    @Inject(Database) database: Database,
    @Inject(KeyCache) known: KeyCache,
    @Inject(SendApprovalRights) rights: SendApprovalRights,
  ) {
    this.#writes = writes;
    this.#database = database;
    this.#known = known;
    this.#rights = rights;
  }

  @Post()
  @Operation({
    id: "createApiKey",
    summary: "Create an API key",
    access: "keys:write",
    takes: ["body"],
    writes: true,
    answers: { status: 201, schema: apiKeyCreated, as: "The key" },
    secondAnswer: waiting,
  })
  create(
    @Body({ schema: apiKeyCreate }) body: ApiKeyCreate,
    @Http() http: HttpContext,
    // Whether the key waits decides between status 201 and 202.
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.#createOnce(http, reply, "create-api-key", async (unit) => {
      const created = await createKey(unit, http.known, body);
      await new KeyAuditLog(unit, http).addCreated(created.apiKey);
      return created;
    });
  }

  @Get()
  @Operation({
    id: "listApiKeys",
    summary: "List API keys",
    access: "keys:write",
    takes: ["query"],
    answers: { status: 200, schema: apiKeyPage, as: "A page of keys" },
  })
  async list(
    @Query({ schema: apiKeyQuery }) query: ApiKeyQuery,
    @Http() http: HttpContext,
  ): Promise<Page<ApiKey>> {
    const page = await findKeys(this.#database.sql, http.known, query);
    http.linkTo(page);
    return page;
  }

  @Get("me")
  @Operation({
    id: "getOwnApiKey",
    summary: "Read the key that you use",
    access: "any key",
    answers: { status: 200, schema: apiKey, as: "The key" },
  })
  async readOwn(@Http() http: HttpContext): Promise<ApiKey> {
    const { apiKeyId } = http.known;
    if (apiKeyId === null) throw new Refusal("not_found", "You use a session, not a key: see /v1/me.");
    return findKey(this.#database.sql, http.known, apiKeyId);
  }

  @Get(":id")
  @Operation({
    id: "getApiKey",
    summary: "Read an API key",
    access: "keys:write",
    path: keyId,
    answers: { status: 200, schema: apiKey, as: "The key" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<ApiKey> {
    return findKey(this.#database.sql, http.known, parseKeyId(id));
  }

  @Post(":id/rotate")
  @Operation({
    id: "rotateApiKey",
    summary: "Rotate an API key",
    access: "keys:write",
    path: keyId,
    takes: ["body"],
    writes: true,
    answers: { status: 201, schema: apiKeyCreated, as: "The new key" },
    secondAnswer: waiting,
    refusals: ["invalid_state_transition"],
  })
  rotate(
    @Param("id") id: string,
    @Body({ schema: apiKeyRotate }) body: ApiKeyRotate,
    @Http() http: HttpContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.#createOnce(http, reply, "rotate-api-key", async (unit) => {
      const old = parseKeyId(id);
      const created = await rotateKey(unit, http.known, old, body.overlapHours);
      await new KeyAuditLog(unit, http).addRotated(old, created.apiKey);
      return created;
    });
  }

  @Post(":id/revoke")
  @Operation({
    id: "revokeApiKey",
    summary: "Revoke an API key",
    access: "keys:write",
    path: keyId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: apiKeyRevoked, as: "The revoked key" },
    refusals: ["invalid_state_transition"],
  })
  async revoke(
    @Param("id") id: string,
    @Body({ schema: apiKeyRevoke }) body: ApiKeyRevoke,
    @Http() http: HttpContext,
  ): Promise<ApiKeyRevoked> {
    const key = parseKeyId(id);
    const revokeItself = async (unit: UnitOfWork): Promise<false> => {
      const ended = await revokeKeyOfBook(unit, http.known, key);
      await new KeyAuditLog(unit, http).addEnded(key, ended);
      unit.afterCommit(() => this.#known.clear());
      return false;
    };
    const endMade = async (unit: UnitOfWork): Promise<boolean> => {
      const ended = await endDescendants(unit, http.known, key);
      await new KeyAuditLog(unit, http).addEnded(key, ended);
      unit.afterCommit(() => this.#known.clear());
      return ended.mayHaveMore;
    };
    const { includeDescendants } = body;
    // Whatever becomes of the keys that it made, a key that has leaked ends first.
    const steps = includeDescendants ? [revokeItself, endMade] : [];
    const revoked = await this.#writes.onceAfter(http, "revoke-api-key", steps, async (unit) => {
      await revokeItself(unit);
      let goesOn = includeDescendants;
      while (goesOn) goesOn = await endMade(unit);
      return readRevoked(unit.sql, http.known, key, includeDescendants ? "ended with it" : "unended");
    });
    const principals = [revoked, ...revoked.descendants].map(({ principal }) => principal);
    await this.#rights.sendOrRefuse(http, [...new Set(principals)], "The key is revoked and can't be used.");
    return revoked;
  }

  /** The first answer holds the key in clear. A replay shows the parts that are stored: prefix and last four. */
  async #createOnce(
    http: HttpContext,
    reply: FastifyReply,
    name: string,
    create: (unit: UnitOfWork) => Promise<CreatedKey>,
  ): Promise<void> {
    let key: string | null = null;
    const created = await this.#writes.once(http, name, async (unit) => {
      const { apiKey: stored, key: inClear } = await create(unit);
      key = inClear;
      return stored;
    });
    // A rotation without overlap has just revoked a key that this instance may have cached.
    this.#known.clear();
    // Answered even if orders has not confirmed it: the key is shown in this answer alone.
    await this.#rights.send(http, [created.principal]);
    http.setLocation(`/v1/api-keys/${created.id}`);
    const answer: ApiKeyCreated = { ...created, key: key ?? `${created.prefix}…${created.last4}` };
    await reply.status(created.status === "Pending" ? waiting.status : 201).send(answer);
  }
}
