import { randomBytes } from "node:crypto";
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post } from "@nestjs/common";
import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
} from "@simplewebauthn/server";
import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { AuditAction } from "../../../contracts/http/audit-actions.ts";
import { isId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { nameText } from "../../../contracts/text/text.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { modeNamed, ownPasswordRequired, sessionEnded } from "../auth/caller-of-session.ts";
import type { KnownSession } from "../auth/domain/caller.ts";
import { findSessionById } from "../auth/store/known-sessions.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "../config.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { noBody } from "../operation/no-body.ts";
import { auditSourceOf } from "../audit/audit-source.ts";
import { SessionRoute, sessionOfRoute } from "../people/session-route.ts";
import { insertAuditEntry } from "../audit/store/audit.ts";
import { challengeOf } from "./domain/challenge.ts";
import { relyingPartyOf } from "./relying-party.ts";
import {
  insertPasskey,
  listPasskeysOf,
  listShownPasskeys,
  lockPasskeysOf,
  type Passkey,
  removePasskey,
  type ShownPasskey,
} from "../people/store/passkeys.ts";
import { isByGivenPassword } from "../people/store/people.ts";
import { insertStepUp, lockNewestOpen, setVerified } from "./store/step-ups.ts";
import { spendConfirmation } from "./confirm-operation.ts";
import { passkeyRefused, registrationResponse, verifyRegistration } from "./verify.ts";

const newPasskey = z.strictObject({ name: nameText(100), response: registrationResponse });
/** A thief of a session that is older than that adds no passkey. */
const maxSignInAgeMs = 600_000;
const maxPasskeys = 20;
/** The operation of a registration's challenge. No decision takes it. */
const registration = "registerPasskey";

/** A person's own passkeys. */
@Controller("auth/passkeys")
export class PasskeysController {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #config: GatewayConfig;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
  ) {
    this.#units = units;
    this.#database = database;
    this.#config = config;
  }

  @Get()
  @SessionRoute()
  async list(@Http() { request }: HttpContext): Promise<{ readonly items: readonly ShownPasskey[] }> {
    return { items: await listShownPasskeys(this.#database.sql, sessionOfRoute(request).person) };
  }

  /** Refusals: `own_password_required`. */
  @Post("options")
  @SessionRoute()
  @HttpCode(200)
  async options(
    @Body({ schema: noBody }) _body: Record<string, never>,
    @Http() { request }: HttpContext,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const session = sessionOfRoute(request);
    await requireOwnPassword(this.#database.sql, session);
    const nonce = randomBytes(32);
    const intent = {
      operation: registration,
      mode: modeNamed(request.headers),
      ids: [],
      orderHashes: [],
      bodyHash: null,
      ifMatch: null,
    };
    const challenge = challengeOf(intent, session.principal, nonce);
    const asked = { id: newId("sup"), session: session.id, intent, nonce, challenge } as const;
    await this.#units.run(({ sql }) => insertStepUp(sql, asked));
    const { id, name } = relyingPartyOf(this.#config, request);
    const own = await listPasskeysOf(this.#database.sql, session.person);
    return generateRegistrationOptions({
      rpName: name,
      rpID: id,
      userID: new Uint8Array(Buffer.from(uuidOf(session.person))),
      userName: session.email,
      userDisplayName: session.name,
      challenge: new Uint8Array(challenge),
      excludeCredentials: own.map(({ credentialId, transports }) => ({
        id: credentialId,
        transports: [...transports],
      })),
      authenticatorSelection: { userVerification: "required", residentKey: "preferred" },
    });
  }

  /**
   * Refusals: `session_ended`; `own_password_required`; `recent_sign_in_required` for the first passkey of an older
   * session; `step_up_required` for a further one that an older passkey has not confirmed; `passkey_refused`.
   */
  @Post()
  @SessionRoute()
  async add(
    @Body({ schema: newPasskey }) { name, response }: z.output<typeof newPasskey>,
    @Http() { request }: HttpContext,
  ): Promise<{ readonly id: string; readonly name: string }> {
    const session = sessionOfRoute(request);
    const mode = modeNamed(request.headers);
    return this.#units.run(async (unit) => {
      const own = await lockOwnPasskeys(unit.sql, session);
      await requireOwnPassword(unit.sql, session);
      if (own.length === 0) requireRecentSignIn(session);
      else
        await spendConfirmation(unit, request, session, {
          operation: "addPasskey",
          mode,
          objectId: "",
          orderHash: null,
          bodyHash: null,
          ifMatch: null,
          idempotencyKey: null,
        });
      if (own.length >= maxPasskeys) {
        throw new Refusal("invalid_state_transition", "Remove a passkey first: a person may have twenty.");
      }
      const open = await lockNewestOpen(unit.sql, session.id, registration);
      if (open === undefined) throw passkeyRefused();
      const made = await verifyRegistration(response, open.challenge, relyingPartyOf(this.#config, request));
      const id = await insertPasskey(unit.sql, session.person, name, made);
      if (id === undefined) throw passkeyRefused();
      await setVerified(unit.sql, open.id, id, null);
      await record(unit, request, session, { action: "PasskeyAdded", objectId: id });
      return { id, name };
    });
  }

  /** Refusals: `session_ended`, `step_up_required`, `not_found`. */
  @Delete(":id")
  @SessionRoute()
  @HttpCode(204)
  async remove(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: Record<string, never>,
    @Http() { request }: HttpContext,
  ): Promise<void> {
    const session = sessionOfRoute(request);
    const mode = modeNamed(request.headers);
    const notFound = new Refusal("not_found", "Check the id: you have no passkey of this id.");
    if (!isId("pky", id)) throw notFound;
    await this.#units.run(async (unit) => {
      await lockOwnPasskeys(unit.sql, session);
      await spendConfirmation(unit, request, session, {
        operation: "removePasskey",
        mode,
        objectId: id,
        orderHash: null,
        bodyHash: null,
        ifMatch: null,
        idempotencyKey: null,
      });
      if (!(await removePasskey(unit.sql, session.person, id))) throw notFound;
      await record(unit, request, session, { action: "PasskeyRemoved", objectId: id });
    });
  }
}

/**
 * Whoever changes the password, or recovers the person, holds the same lock and ends the sessions: the thief of one who
 * waited for the lock must not leave a passkey behind. Refusals: `session_ended`.
 */
async function lockOwnPasskeys(sql: Sql, { id, person }: KnownSession): Promise<Passkey[]> {
  const own = await lockPasskeysOf(sql, person);
  if ((await findSessionById(sql, id)) === undefined) throw sessionEnded();
  return own;
}

/**
 * Whoever has set the password knows it: with a passkey of their own they could decide as this person. The session of
 * the request may be a second old, so the database is asked again.
 */
async function requireOwnPassword(sql: Sql, { id }: KnownSession): Promise<void> {
  if (await isByGivenPassword(sql, id)) throw ownPasswordRequired();
}

function requireRecentSignIn({ signedInAt }: KnownSession): void {
  if (Date.now() - signedInAt.getTime() < maxSignInAgeMs) return;
  throw new Refusal("recent_sign_in_required", "Sign in again, and add the passkey within ten minutes.");
}

async function record(
  { sql }: Pick<UnitOfWork, "sql">,
  request: HttpContext["request"],
  { tenant, principal, person }: KnownSession,
  what: { readonly action: AuditAction; readonly objectId: string },
): Promise<void> {
  await insertAuditEntry(
    sql,
    { tenant, mode: null, actor: principal, person, ...what },
    auditSourceOf(request),
  );
}
