import { Injectable } from "@nestjs/common";
import type { FastifyContextConfig, FastifyRequest } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import type { Scope } from "../../../contracts/http/scopes.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { requireScope } from "../auth/authenticate.ts";
import type { KnownCaller, KnownSession } from "../auth/domain/caller.ts";
import { refusalOfFaults } from "../http/validation-errors.ts";
import { auditSourceOf } from "../audit/audit-source.ts";
import { type AuditEntry, insertAuditEntry } from "../audit/store/audit.ts";
import { bodyHashOf } from "./domain/challenge.ts";
import { type Decision, spendStepUp } from "./store/step-ups.ts";

/** The operations that can be confirmed, each with the scopes of which it needs one: none for one's own passkeys. */
@Injectable()
export class ConfirmedOperations {
  readonly #scopes = new Map<string, readonly Scope[]>([
    ["addPasskey", []],
    ["removePasskey", []],
  ]);

  /** Called for each route before the gateway listens. */
  add({ operation, confirmedFor, alternativeScope }: FastifyContextConfig = {}): void {
    const scopes = [confirmedFor, alternativeScope].filter((scope) => scope !== undefined);
    if (scopes.length > 0 && operation !== undefined) this.#scopes.set(operation, scopes);
  }

  /** Refusals: `invalid_field` for any other operation, `insufficient_scope`. */
  require(operation: string, caller: KnownCaller): void {
    const scopes = this.#scopes.get(operation);
    if (scopes === undefined) {
      const message = "must be an operation that is confirmed with a passkey";
      throw refusalOfFaults([{ pointer: "/operation", code: "invalid_field", message }]);
    }
    const [scope, alternative] = scopes;
    if (scope !== undefined) requireScope(caller, scope, alternative);
  }
}

/**
 * A hook before every route. In a session, a passkey must confirm:
 * - every write whose scope decides on what others made, so no route can forget it;
 * - every operation with `confirmedFor`, of a caller with that scope: it moves money or opens a way to move it;
 * - every request of a caller who has only the route's `alternativeScope`.
 *
 * A body that only stops something (`onlyStops`) needs no confirmation. An API key confirms nothing: it is a secret of
 * its own, and its caller has no browser.
 *
 * Refusals: `step_up_required` without a confirmation of exactly this; `missing_field` for an approval that does not
 * say which order was shown; `not_found` for an id that nothing can have.
 */
export function requireConfirmation(units: UnitOfWorkRunner) {
  return async (request: FastifyRequest): Promise<void> => {
    const { caller, routeOptions, body, params } = request;
    const { operation, access, onlyStops } = routeOptions.config;
    if (caller === null || caller.session === null) return;
    if (operation === undefined || !isConfirmed(routeOptions.config, caller)) return;
    if (onlyStops?.(body) === true) return;
    const orderHash = textIn(body, "orderHash");
    if (operation === "approvePaymentOrder" && orderHash === null) {
      throw refusalOfFaults([{ pointer: "/orderHash", code: "missing_field", message: "is required" }]);
    }
    // One confirmation may decide on many orders, each with its own body: their hashes say what was shown.
    const bodyHash = access === "orders:approve" ? null : bodyHashOf(body);
    // Of two objects in the path, the passkey confirms the inner one: the proposed change, not its counterparty.
    const objectId = textIn(params, "changeId") ?? textIn(params, "id") ?? "";
    // Postgres can't store every text that a path can hold.
    if (!/^\w*$/.test(objectId)) throw new Refusal("not_found", "Check the id.");
    const ifMatch = textIn(request.headers, "if-match");
    const idempotencyKey = textIn(request.headers, "idempotency-key");
    const decision = { operation, mode: caller.mode, objectId, orderHash, bodyHash, ifMatch, idempotencyKey };
    const { session } = caller;
    await units.run((unit) => spendConfirmation(unit, request, session, decision));
  };
}

/** Whether this caller has to confirm a request of the route. */
function isConfirmed(
  { access, confirmedFor, alternativeScope }: FastifyContextConfig,
  { scopes }: KnownCaller,
): boolean {
  if (confirmedFor !== undefined && scopes.has(confirmedFor)) return true;
  return (
    alternativeScope !== undefined && access !== undefined && ![...scopes].some((scope) => scope === access)
  );
}

/**
 * Spends the confirmation that the header `Step-Up` names, and records it. With an idempotency key the same request may
 * spend it again: pass null where a repetition would do something again. Refusals: `step_up_required`.
 */
export async function spendConfirmation(
  { sql }: Pick<UnitOfWork, "sql">,
  request: Pick<FastifyRequest, "headers" | "ip" | "socket" | "id">,
  { id: session, person, tenant, principal }: KnownSession,
  about: Decision,
): Promise<void> {
  const named = request.headers["step-up"];
  const passkey =
    typeof named === "string" && isId("sup", named)
      ? await spendStepUp(sql, session, named, about)
      : undefined;
  if (passkey === undefined) throw stepUpRequired();
  const { operation, mode, objectId } = about;
  const entry: AuditEntry = {
    tenant,
    mode,
    actor: principal,
    action: "StepUpUsed",
    // What a creation makes has no id yet.
    objectId: objectId === "" ? null : objectId,
    person,
    details: { operation, stepUp: named, passkey },
  };
  await insertAuditEntry(sql, entry, auditSourceOf(request));
}

function stepUpRequired(): Refusal {
  return new Refusal(
    "step_up_required",
    "Confirm exactly this with your passkey (POST /auth/step-up), and send the header Step-Up within two minutes.",
  );
}

function textIn(value: unknown, name: string): string | null {
  const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === "string" ? found : null;
}
