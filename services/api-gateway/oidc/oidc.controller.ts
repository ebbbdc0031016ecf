import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Res } from "@nestjs/common";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { isId, type TenantId } from "../../../contracts/ids/ids.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { LOG } from "../../platform/platform.module.ts";
import { addressOf } from "../auth/domain/address-blocks.ts";
import { SessionCache } from "../auth/key-cache.ts";
import { RateLimits } from "../auth/rate-limit.ts";
import { requireOwnPage } from "../auth/same-origin.ts";
import { sessionCookie, tokenOf } from "../auth/session-cookie.ts";
import { GATEWAY_CONFIG, type GatewayConfig, sessionSettingsOf } from "../config.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { auditSourceOf } from "../audit/audit-source.ts";
import { type SignedIn, type SignIn, startSession } from "../people/start-session.ts";
import { lockPerson, lockPersonByEmail, type Person } from "../people/store/people.ts";
import { attemptCookie, attemptOf, removedAttemptCookie } from "./attempt-cookie.ts";
import { ownPage, pageAfterFailure, pageAfterSignIn, signInPage } from "./domain/page-after-sign-in.ts";
import { beginSignIn, finishSignIn, type Identity, type IdentityProvider } from "./identity-provider.ts";
import { findPersonBySubject, insertSubject } from "./store/identities.ts";

const begun = z.strictObject({ next: z.string().optional() });

/**
 * Sign-in at the tenant's OpenID provider. Our own page begins it. The browser itself visits the other two routes, so
 * they answer with redirects and not with problems.
 */
@Controller("auth/oidc")
export class OidcController {
  readonly #units: UnitOfWorkRunner;
  readonly #known: SessionCache;
  readonly #limits: RateLimits;
  readonly #config: GatewayConfig;
  readonly #log: Logger;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(SessionCache) known: SessionCache,
    @Inject(RateLimits) limits: RateLimits,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
    @Inject(LOG) log: Logger,
  ) {
    this.#units = units;
    this.#known = known;
    this.#limits = limits;
    this.#config = config;
    this.#log = log;
  }

  /**
   * The address that a tenant gives to its people leads to the sign-in page, and begins nothing: any page can link to
   * it. `next` is the page that they asked for; one that is not ours counts as none. Refusals: `not_found` for a tenant
   * without a provider.
   */
  @Get(":tenant")
  async lead(
    @Param("tenant") path: string,
    @Query("next") asked: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { tenant } = this.#knownProvider(path);
    await redirect(reply, signInPage(tenant, ownPage(asked)));
  }

  /**
   * Begins a sign-in, and answers where the browser goes for it. A page elsewhere that could begin one would replace
   * the browser's session by one of a tenant of its choice. Refusals: `cross_site_request`; `not_found` for a tenant
   * without a provider.
   */
  @Post(":tenant")
  @HttpCode(200)
  async begin(
    @Param("tenant") path: string,
    @Body({ schema: begun }) body: z.infer<typeof begun>,
    @Http() { request }: HttpContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ location: string }> {
    requireOwnPage(request, sessionSettingsOf(this.#config).ownOrigin);
    const { tenant, provider } = this.#knownProvider(path);
    const next = ownPage(body.next);
    const { location, cookie } = await this.#begin(request, tenant, provider, next);
    reply.headers({ "set-cookie": cookie, "cache-control": "no-store" });
    return { location };
  }

  /** Where the browser goes, and the cookie that it stores: to the provider, or back after a failure. */
  async #begin(
    request: FastifyRequest,
    tenant: TenantId,
    provider: IdentityProvider,
    next: string | undefined,
  ): Promise<{ location: string; cookie: string }> {
    const failure = { location: pageAfterFailure(tenant, next), cookie: removedAttemptCookie };
    if (!(await this.#limits.countProviderCall(addressOf(request)))) {
      this.#log.warn({ tenant }, "an address began too many sign-ins");
      return failure;
    }
    try {
      const { address, attempt } = await beginSignIn(provider, this.#callback());
      return { location: address.href, cookie: attemptCookie({ tenant, next, ...attempt }) };
    } catch (error) {
      this.#log.error({ err: error, tenant }, "an OpenID provider can't be reached");
      return failure;
    }
  }

  @Get("callback")
  async callback(@Http() { request }: HttpContext, @Res() reply: FastifyReply): Promise<void> {
    const attempt = attemptOf(request.headers.cookie);
    const provider = attempt && this.#providerOf(attempt.tenant);
    try {
      if (attempt === undefined || provider === undefined) throw new Error("this browser began no sign-in");
      if (!(await this.#limits.countProviderCall(addressOf(request))))
        throw new Error("this address began too many sign-ins");
      const callback = new URL(request.url, this.#callback());
      const identity = await finishSignIn(provider, attempt, callback);
      const how = this.#howOf(request);
      const { token, session } = await this.#units.run((unit) =>
        signIn(unit, attempt.tenant, provider, identity, how),
      );
      this.#known.clear();
      await this.#limits.forgiveProviderCalls(addressOf(request));
      const page = pageAfterSignIn(attempt.next, session.roles);
      await redirect(reply, page, removedAttemptCookie, sessionCookie(token));
    } catch (error) {
      this.#log.warn({ err: error, tenant: attempt?.tenant }, "a sign-in at an OpenID provider failed");
      await redirect(reply, pageAfterFailure(attempt?.tenant, attempt?.next), removedAttemptCookie);
    }
  }

  #knownProvider(path: string): { tenant: TenantId; provider: IdentityProvider } {
    const provider = this.#providerOf(path);
    if (isId("ten", path) && provider !== undefined) return { tenant: path, provider };
    throw new Refusal("not_found", "Sign in with email and password: your company has no provider here.");
  }

  #providerOf(tenant: string): IdentityProvider | undefined {
    const providers = this.#config.IDENTITY_PROVIDERS;
    return Object.hasOwn(providers, tenant) ? providers[tenant as TenantId] : undefined;
  }

  #callback(): URL {
    return new URL("/auth/oidc/callback", sessionSettingsOf(this.#config).ownOrigin);
  }

  #howOf(request: FastifyRequest): SignIn {
    return {
      from: auditSourceOf(request),
      before: tokenOf(request.headers.cookie),
      maxHours: this.#config.SESSION_MAX_HOURS,
    };
  }
}

/** Throws unless the tenant knows the person and lets them in. */
async function signIn(
  unit: UnitOfWork,
  tenant: TenantId,
  { issuer }: IdentityProvider,
  identity: Identity,
  how: SignIn,
): Promise<SignedIn> {
  const person = await personOf(unit, tenant, issuer, identity);
  if (person?.active !== true || !person.tenantActive) throw new Error("nobody who may sign in");
  return startSession(unit, person, "OpenId", how);
}

/**
 * A subject that has signed in before is that person, whatever its address is now. A new one is the person whom an
 * admin of the tenant has invited by that address, if the provider has verified it.
 */
async function personOf(
  { sql }: UnitOfWork,
  tenant: TenantId,
  issuer: string,
  { subject, verifiedEmail }: Identity,
): Promise<Person | undefined> {
  const known = await findPersonBySubject(sql, tenant, { issuer, subject });
  if (known !== undefined) return lockPerson(sql, known);
  const invited = verifiedEmail === null ? undefined : await lockPersonByEmail(sql, tenant, verifiedEmail);
  if (invited === undefined) return undefined;
  return (await insertSubject(sql, invited, { issuer, subject })) ? invited : undefined;
}

async function redirect(reply: FastifyReply, location: string, ...cookies: string[]): Promise<void> {
  await reply.status(303).headers({ location, "set-cookie": cookies, "cache-control": "no-store" }).send();
}
