import { randomBytes } from "node:crypto";
import { Body, Controller, HttpCode, Inject, Param, Post } from "@nestjs/common";
import {
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { isId, newId, type StepUpId } from "../../../contracts/ids/ids.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { callerOfSession, modeNamed } from "../auth/caller-of-session.ts";
import type { KnownSession } from "../auth/domain/caller.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "../config.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { auditSourceOf } from "../audit/audit-source.ts";
import { SessionRoute, sessionOfRoute } from "../people/session-route.ts";
import { type AuditEntry, type AuditSource, insertAuditEntry, isLogged } from "../audit/store/audit.ts";
import { challengeOf } from "./domain/challenge.ts";
import { type RelyingParty, relyingPartyOf } from "./relying-party.ts";
import { countUse, listPasskeysOf } from "../people/store/passkeys.ts";
import { insertStepUp, lockOpenStepUp, lockStepUp, setVerified } from "./store/step-ups.ts";
import { ConfirmedOperations } from "./confirm-operation.ts";
import {
  type AuthenticationAnswer,
  authenticationResponse,
  passkeyRefused,
  verifyAssertion,
} from "./verify.ts";

const maxObjects = 50;
const intent = z
  .strictObject({
    /** The operation id of the decision: `approvePaymentOrder`. */
    operation: z.string().regex(/^[A-Za-z]{1,60}$/),
    ids: z.array(z.string().min(1).max(60)).max(maxObjects).default([]),
    /** The hash of each order that is shown, in the order of `ids`; none for other objects. */
    orderHashes: z
      .array(z.string().regex(/^[0-9a-f]{64}$/))
      .max(maxObjects)
      .default([]),
    /** SHA-256 of the request's body in canonical JSON; null for decisions on orders, and where there is no body. */
    bodyHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable()
      .default(null),
    /** The header If-Match of the request: the version that is shown. Null for a request without one. */
    ifMatch: z.string().min(1).max(200).nullable().default(null),
  })
  .refine(({ ids }) => new Set(ids).size === ids.length, {
    path: ["ids"],
    message: "must name each object once",
  })
  .refine(({ ids, orderHashes }) => orderHashes.length === 0 || orderHashes.length === ids.length, {
    path: ["orderHashes"],
    message: "must be as many as the ids, or none",
  });
const answer = z.strictObject({ response: authenticationResponse });

interface StepUpAsked {
  readonly id: StepUpId;
  readonly options: PublicKeyCredentialRequestOptionsJSON;
}

/** How a person confirms a decision with a passkey: ask for a challenge, sign it, send the decision. */
@Controller("auth/step-up")
export class StepUpController {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #config: GatewayConfig;
  readonly #operations: ConfirmedOperations;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
    @Inject(ConfirmedOperations) operations: ConfirmedOperations,
  ) {
    this.#units = units;
    this.#database = database;
    this.#config = config;
    this.#operations = operations;
  }

  /** Refusals: `passkey_missing`, `insufficient_scope`, `rate_limited`. */
  @Post()
  @SessionRoute()
  @HttpCode(201)
  async begin(
    @Body({ schema: intent }) body: z.output<typeof intent>,
    @Http() { request }: HttpContext,
  ): Promise<StepUpAsked> {
    const session = sessionOfRoute(request);
    const mode = modeNamed(request.headers);
    this.#operations.require(body.operation, callerOfSession(session, mode));
    const passkeys = await listPasskeysOf(this.#database.sql, session.person);
    if (passkeys.length === 0) {
      throw new Refusal("passkey_missing", "Add a passkey first (POST /auth/passkeys/options).");
    }
    const nonce = randomBytes(32);
    const asked = { ...body, mode };
    const challenge = challengeOf(asked, session.principal, nonce);
    const id = newId("sup");
    await this.#units.run(({ sql }) =>
      insertStepUp(sql, { id, session: session.id, intent: asked, nonce, challenge }),
    );
    const options = await generateAuthenticationOptions({
      rpID: relyingPartyOf(this.#config, request).id,
      challenge: new Uint8Array(challenge),
      allowCredentials: passkeys.map(({ credentialId, transports }) => ({
        id: credentialId,
        transports: [...transports],
      })),
      userVerification: "required",
    });
    return { id, options };
  }

  /** Refusals: `passkey_refused`. */
  @Post(":id/verify")
  @SessionRoute()
  @HttpCode(204)
  async verify(
    @Param("id") id: string,
    @Body({ schema: answer }) { response }: z.output<typeof answer>,
    @Http() { request }: HttpContext,
  ): Promise<void> {
    const session = sessionOfRoute(request);
    try {
      await this.#verify(id, response, session, relyingPartyOf(this.#config, request));
    } catch (error) {
      if (error instanceof Refusal) await this.#recordRefusal(id, session, auditSourceOf(request));
      throw error;
    }
  }

  async #verify(
    id: string,
    response: AuthenticationAnswer,
    { id: session, person }: KnownSession,
    relyingParty: RelyingParty,
  ): Promise<void> {
    await this.#units.run(async ({ sql }) => {
      const challenge = isId("sup", id) ? await lockOpenStepUp(sql, session, id) : undefined;
      const own = await listPasskeysOf(sql, person);
      const passkey = own.find(({ credentialId }) => credentialId === response.id);
      if (!isId("sup", id) || challenge === undefined || passkey === undefined) throw passkeyRefused();
      const counter = await verifyAssertion(response, challenge, relyingParty, passkey);
      if (!(await countUse(sql, passkey.id, counter))) throw passkeyRefused();
      const { clientDataJSON, authenticatorData, signature } = response.response;
      await setVerified(sql, id, passkey.id, { clientDataJSON, authenticatorData, signature });
    });
  }

  /** Once for each step-up that the session has begun, so that no session fills the log, which only grows. */
  async #recordRefusal(id: string, session: KnownSession, from: AuditSource): Promise<void> {
    const { tenant, principal: actor, person } = session;
    const entry: AuditEntry = { tenant, mode: null, actor, action: "StepUpRefused", objectId: id, person };
    await this.#units.run(async ({ sql }) => {
      if (!isId("sup", id) || !(await lockStepUp(sql, session.id, id)) || (await isLogged(sql, entry)))
        return;
      await insertAuditEntry(sql, entry, from);
    });
  }
}
