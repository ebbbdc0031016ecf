import { Body, Controller, Get, Inject, Param, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import {
  type ApiKey,
  type ApiKeyCreate,
  type ApiKeyCreated,
  type ApiKeyQuery,
  type ApiKeyRotate,
  apiKey,
  apiKeyCreate,
  apiKeyCreated,
  apiKeyPage,
  apiKeyQuery,
  apiKeyRotate,
} from "../../../contracts/http/api-keys.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { type HttpContext, Http } from "../routing/http-context.ts";
import { KeyCache } from "../auth/key-cache.ts";
import { noBody } from "../routing/no-body.ts";
import { Operation } from "../routing/operation.ts";
import { GatewayWrites } from "../upstream/gateway-writes.ts";
import { findKey, findKeys, parseKeyId } from "./query-keys.ts";
import { type CreatedKey, createKey } from "./create-key.ts";
import { revokeKeyOfBook } from "./revoke-key.ts";
import { rotateKey } from "./rotate-key.ts";

const keyId = { id: "key" } as const;

/** API keys, managed by the tenant's own principals. The gateway owns keys, so no service is called. */
@ApiTags("API keys")
@Controller("v1/api-keys")
export class ApiKeysController {
  readonly #writes: GatewayWrites;
  readonly #database: Database;
  readonly #known: KeyCache;

  constructor(
    @Inject(GatewayWrites) writes: GatewayWrites,
    @Inject(Database) database: Database,
    @Inject(KeyCache) known: KeyCache,
  ) {
    this.#writes = writes;
    this.#database = database;
    this.#known = known;
  }

  @Post()
  @Operation({
    id: "createApiKey",
    summary: "Create an API key",
    access: "keys:write",
    takes: ["body"],
    writes: true,
    answers: {
      status: 201,
      schema: apiKeyCreated,
      as: "The key. A Pending key needs another principal's approval",
    },
  })
  create(
    @Body({ schema: apiKeyCreate }) body: ApiKeyCreate,
    @Http() http: HttpContext,
  ): Promise<ApiKeyCreated> {
    return this.#createOnce(http, "create-api-key", (unit) => createKey(unit, http.key, body));
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
    const page = await findKeys(this.#database.sql, http.key, query);
    http.linkTo(page);
    return page;
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
    return findKey(this.#database.sql, http.key, parseKeyId(id));
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
    refusals: ["invalid_state_transition"],
  })
  rotate(
    @Param("id") id: string,
    @Body({ schema: apiKeyRotate }) body: ApiKeyRotate,
    @Http() http: HttpContext,
  ): Promise<ApiKeyCreated> {
    return this.#createOnce(http, "rotate-api-key", (unit) =>
      rotateKey(unit, http.key, parseKeyId(id), body.overlapHours),
    );
  }

  @Post(":id/revoke")
  @Operation({
    id: "revokeApiKey",
    summary: "Revoke an API key",
    access: "keys:write",
    path: keyId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: apiKey, as: "The revoked key" },
    refusals: ["invalid_state_transition"],
  })
  async revoke(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: Record<string, never>,
    @Http() http: HttpContext,
  ): Promise<ApiKey> {
    const revoked = await this.#writes.once(http, "revoke-api-key", (unit) =>
      revokeKeyOfBook(unit, http.key, parseKeyId(id)),
    );
    this.#known.clear();
    return revoked;
  }

  /** The first answer holds the key in clear. The answer stored for a replay does not. */
  async #createOnce(
    http: HttpContext,
    name: string,
    create: (unit: UnitOfWork) => Promise<CreatedKey>,
  ): Promise<ApiKeyCreated> {
    let key: string | null = null;
    const created = await this.#writes.once(http, name, async (unit) => {
      const { apiKey: stored, key: inClear } = await create(unit);
      key = inClear;
      return stored;
    });
    // A rotation without overlap has just revoked a key that this instance may have cached.
    this.#known.clear();
    http.createdAt(`/v1/api-keys/${created.id}`);
    return { ...created, key };
  }
}
