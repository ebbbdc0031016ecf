import { Body, Controller, Get, HttpCode, Inject, Post, Query, Res } from "@nestjs/common";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { Me } from "../../../contracts/http/people.ts";
import { idSchema } from "../../../contracts/ids/ids.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { SessionCache } from "../auth/key-cache.ts";
import { requireOwnPage } from "../auth/same-origin.ts";
import { removedCookie, sessionCookie, tokenOf } from "../auth/session-cookie.ts";
import { GATEWAY_CONFIG, type GatewayConfig, sessionSettingsOf } from "../config.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { noBody } from "../operation/no-body.ts";
import { passwordText } from "./domain/email.ts";
import { publishPersonChanged } from "./person-changed.ts";
import { readMeOf } from "./read-me.ts";
import { auditSourceOf } from "../audit/audit-source.ts";
import { isFromThisMachine, SessionRoute, sessionOfRoute } from "./session-route.ts";
import { PasswordSignIn } from "./sign-in.ts";
import { type SignedIn, type SignIn, startSession } from "./start-session.ts";
import { type AuditEntry, insertAuditEntry } from "../audit/store/audit.ts";
import { type DemoPerson, listDemoPeople, lockDemoPerson } from "./store/people.ts";
import { endSession } from "./store/sessions.ts";

const credentials = z.strictObject({
  email: z.string().max(254),
  password: z.string().max(1_000),
  tenant: idSchema("ten").optional(),
});
const demoPerson = z.strictObject({ principal: z.string().max(100) });
const newPassword = z.strictObject({ currentPassword: z.string().max(1_000), newPassword: passwordText });

interface SignInOptions {
  readonly local: boolean;
  readonly oidc: readonly { readonly tenant: string; readonly name: string }[];
  readonly demoPeople: readonly DemoPerson[];
}

/** Sessions of people. Not in the OpenAPI document: only our own page signs in (docs/adr/0034). */
@Controller("auth")
export class SignInController {
  readonly #passwords: PasswordSignIn;
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #known: SessionCache;
  readonly #config: GatewayConfig;

  constructor(
    @Inject(PasswordSignIn) passwords: PasswordSignIn,
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(SessionCache) known: SessionCache,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
  ) {
    this.#passwords = passwords;
    this.#units = units;
    this.#database = database;
    this.#known = known;
    this.#config = config;
  }

  @Get("options")
  async options(@Query("tenant") tenant: unknown, @Http() { request }: HttpContext): Promise<SignInOptions> {
    const demoPeople = this.#takesDemo(request) ? await listDemoPeople(this.#database.sql) : [];
    const named = this.#providerOf(tenant);
    return named === undefined
      ? { local: true, oidc: this.#onlyProvider(), demoPeople }
      : { local: false, oidc: [named], demoPeople };
  }

  @Post("sign-in")
  async signIn(
    @Body({ schema: credentials }) body: z.infer<typeof credentials>,
    @Http() { request }: HttpContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.#answer(reply, await this.#passwords.signIn(body, this.#howOf(request)));
  }

  /** Only in a sandbox. Refusals: `route_not_found` elsewhere, `sign_in_failed` for anybody but a demo person. */
  @Post("demo-sign-in")
  async demoSignIn(
    @Body({ schema: demoPerson }) { principal }: z.infer<typeof demoPerson>,
    @Http() { request }: HttpContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!this.#takesDemo(request))
      throw new Refusal("route_not_found", "Check the path: see GET /auth/options.");
    const how = this.#howOf(request);
    const signedIn = await this.#units.run(async (unit) => {
      const person = await lockDemoPerson(unit.sql, principal);
      if (person === undefined || !person.active || !person.tenantActive) {
        throw new Refusal("sign_in_failed", "Choose one of the people that GET /auth/options names.");
      }
      return startSession(unit, person, "Demo", how);
    });
    await this.#answer(reply, signedIn);
  }

  @Post("sign-out")
  @SessionRoute({ forEveryPerson: true, forSuspendedTenants: true })
  @HttpCode(204)
  async signOut(
    @Body({ schema: noBody }) _body: Record<string, never>,
    @Http() { request }: HttpContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { id, person, tenant, principal } = sessionOfRoute(request);
    await this.#units.run(async (unit) => {
      await endSession(unit.sql, person, id, "SignedOut");
      const entry: AuditEntry = {
        tenant,
        mode: null,
        actor: principal,
        action: "SignedOut",
        objectId: id,
        person,
      };
      await insertAuditEntry(unit.sql, entry, auditSourceOf(request));
      publishPersonChanged(unit, { id: person, tenant });
    });
    this.#known.clear();
    reply.header("set-cookie", removedCookie);
  }

  /** Ends every session of the person, and starts a new one. Refusals: `sign_in_failed`, `rate_limited`. */
  @Post("password")
  @SessionRoute({ forEveryPerson: true })
  async password(
    @Body({ schema: newPassword }) body: z.infer<typeof newPassword>,
    @Http() { request }: HttpContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const session = sessionOfRoute(request);
    await this.#answer(reply, await this.#passwords.change(session, body, this.#howOf(request)));
  }

  /** Whoever names the tenant knows it. A password opens nothing there (docs/adr/0036). */
  #providerOf(tenant: unknown): SignInOptions["oidc"][number] | undefined {
    const providers = Object.entries(this.#config.IDENTITY_PROVIDERS);
    const [, provider] = providers.find(([id]) => id === tenant) ?? [];
    return provider && { tenant: tenant as string, name: provider.name };
  }

  /** A deployment with several tenants lists none of them: nobody learns who they are. */
  #onlyProvider(): SignInOptions["oidc"] {
    const [only, ...others] = Object.entries(this.#config.IDENTITY_PROVIDERS);
    return only === undefined || others.length > 0 ? [] : [{ tenant: only[0], name: only[1].name }];
  }

  #takesDemo(request: FastifyRequest): boolean {
    return this.#config.DEMO_SIGN_IN === "true" && isFromThisMachine(request);
  }

  /** Refusals: `cross_site_request`, so that no other page signs a browser in as somebody else. */
  #howOf(request: FastifyRequest): SignIn {
    requireOwnPage(request, sessionSettingsOf(this.#config).ownOrigin);
    return {
      from: auditSourceOf(request),
      before: tokenOf(request.headers.cookie),
      maxHours: this.#config.SESSION_MAX_HOURS,
    };
  }

  async #answer(reply: FastifyReply, { token, session }: SignedIn): Promise<void> {
    this.#known.clear();
    const body: Me = await readMeOf(this.#database.sql, session);
    await reply
      .status(200)
      .headers({ "set-cookie": sessionCookie(token), "cache-control": "no-store" })
      .send(body);
  }
}
