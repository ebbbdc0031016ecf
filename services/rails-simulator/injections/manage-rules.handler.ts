import { Controller } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { OrderStatus } from "../../../contracts/http/payments/payment-order-parts.ts";
import type { InjectionView } from "../../../contracts/http/sandbox/injections.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { isId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  CreateInjection,
  EndInjection,
  GetInjection,
  ListInjections,
} from "../../../contracts/messages/injections.ts";
import { GetOrder, ListOrders } from "../../../contracts/messages/orders.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { bankingDayOf } from "../../../contracts/rails/banking-calendar.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import {
  HandlesRequest,
  type IdempotentReplay,
  type RequestContext,
} from "../../platform/handlers/decorators.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { aboveAllUuids, pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { findReplay, withIdempotency } from "../../platform/rpc/idempotency.ts";
import { requireTestBook } from "../instructions/require-test-book.ts";
import { notApplicable } from "../instructions/domain/injection.ts";
import { RailOutages } from "../instructions/rail-outages.ts";
import { RecheckPayments } from "../rechecks/recheck-payments.worker.ts";
import { hashedNumber } from "../rules/account-hashes.ts";
import type { PaymentKind } from "../rules/domain/fault-needs.ts";
import type { RuleMatch } from "../rules/domain/rule.ts";
import { countActiveRules, endPastRules, endRule, insertRule, type NewRule } from "../rules/store/rules.ts";
import { lockAgainstHandOffs } from "../rules/store/simulated-books.ts";
import { listRules, readRule } from "../rules/store/rule-views.ts";
import { insertLogEntries } from "../simulation-log/store/simulation-log.ts";
import { beforeHandOff } from "./before-hand-off.ts";
import { kindsOfRule, type RuleRequest } from "./domain/new-rule.ts";

/** A hand-off reads all active rules of its book when one was made or ended. */
const maxActiveRules = 5_000;

/** The parts of an order that decide whether a rule can act on it. */
type NamedOrder = PaymentKind & { readonly status: OrderStatus };

type Nothing = Record<string, never>;

/** A tester makes rules for what rails do with the payments of a Test book. The API calls them injections. */
@Controller()
export class ManageRules {
  readonly #rpc: RpcClient;
  readonly #database: Database;
  readonly #units: UnitOfWorkRunner;
  readonly #cipher: SecretCipher;
  readonly #outages: RailOutages;
  readonly #rechecks: RecheckPayments;

  constructor(
    rpc: RpcClient,
    database: Database,
    units: UnitOfWorkRunner,
    cipher: SecretCipher,
    outages: RailOutages,
    rechecks: RecheckPayments,
  ) {
    this.#outages = outages;
    this.#rechecks = rechecks;
    this.#rpc = rpc;
    this.#database = database;
    this.#units = units;
    this.#cipher = cipher;
  }

  /**
   * Refusals: `simulation_requires_test_key`; `not_found` for an unknown order; `simulation_not_applicable` for a rule
   * that could never act; `missing_field`, `invalid_field`, `invalid_routing_number` for fields that don't fit.
   */
  @HandlesRequest(CreateInjection)
  async create(
    request: RuleRequest,
    context: RequestContext,
  ): Promise<InjectionView | IdempotentReplay<InjectionView>> {
    requireTestBook(context);
    const operation = { name: "simulate-injection", resourceId: ({ id }: InjectionView) => id };
    // A replay does not depend on the order. The order is read before the transaction, which holds a connection.
    const replay = await findReplay<InjectionView>(this.#database.sql, context, operation);
    if (replay !== undefined) return replay;
    const order = await this.#namedOrder(request, context);
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        if (request.fault === "Outage") await lockAgainstHandOffs(unit.sql, context.caller.book);
        const rule = await createRule(unit, context, request, order, this.#cipher);
        const { rail } = rule.match;
        if (rule.fault === "Outage" && rail !== null) {
          await this.#outages.begin(unit, context.caller.book, { rail });
        }
        return rule;
      }),
    );
  }

  /** Newest first. Refusals: `simulation_requires_test_key`, `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListInjections)
  async list(
    query: z.output<typeof ListInjections.data>,
    context: RequestContext,
  ): Promise<Page<InjectionView>> {
    requireTestBook(context);
    const { sql } = this.#database;
    const { book } = context.caller;
    const asked = { ...query, list: "injections" };
    const after = { before: uuidAfter(asked) ?? aboveAllUuids, limit: query.limit };
    const rules = await listRules(sql, book, await readTimeIn(sql, book), after);
    return pageOfRows(
      rules,
      query.limit,
      (rule) => rule,
      ({ id }) => uuidOf(id),
      asked,
    );
  }

  /** Refusals: `simulation_requires_test_key`, `not_found`. */
  @HandlesRequest(GetInjection)
  async get({ id }: { id: string }, context: RequestContext): Promise<InjectionView> {
    requireTestBook(context);
    const { sql } = this.#database;
    const { book } = context.caller;
    const rule = isId("inj", id) ? await readRule(sql, book, id, await readTimeIn(sql, book)) : undefined;
    if (rule === undefined) throw notFound("injection");
    return rule;
  }

  /** Refusals: `simulation_requires_test_key`; `not_found`; `invalid_state_transition` for one that has ended. */
  @HandlesRequest(EndInjection)
  end({ id }: { id: string }, context: RequestContext): Promise<Nothing | IdempotentReplay<Nothing>> {
    requireTestBook(context);
    const operation = { name: "simulate-injection-end", resourceId: () => id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const { fault } = await endRuleOf(unit, context, id);
        const { book } = context.caller;
        if (fault === "Outage") await this.#rechecks.begin(unit, { book, kind: "OutageEnd" });
        return {};
      }),
    );
  }

  /** The order that the rule names. One of an external id may come later, also if an earlier one was handed off. */
  async #namedOrder({ match }: RuleRequest, request: RequestContext): Promise<NamedOrder | undefined> {
    const { caller, traceparent, deadline } = request;
    const from = { caller, traceparent, deadline };
    if (match.orderId !== undefined) {
      const { value } = await this.#rpc
        .request(GetOrder, from, { id: match.orderId })
        .catch((error: unknown) => {
          throw error instanceof Refusal && error.code === "not_found"
            ? notFound("payment order", "/match/orderId")
            : error;
        });
      return value;
    }
    if (match.externalId === undefined) return undefined;
    const { value } = await this.#rpc.request(ListOrders, from, { externalId: match.externalId, limit: 1 });
    return value.data.find(({ status }) => beforeHandOff.has(status));
  }
}

async function createRule(
  { sql }: UnitOfWork,
  { caller: { book, principal } }: RequestContext,
  request: RuleRequest,
  order: NamedOrder | undefined,
  cipher: SecretCipher,
): Promise<InjectionView> {
  const now = await readTimeIn(sql, book);
  const actsOn = kindsOfRule(request, order, { now, bankingDate: bankingDayOf(now) });
  if (order !== undefined && !beforeHandOff.has(order.status)) {
    const detail = `Rules act at the hand-off, and the order is ${order.status}. Call an action of the order instead.`;
    throw notApplicable(detail, { currentStatus: order.status });
  }
  await endPastRules(sql, book, now);
  if ((await countActiveRules(sql, book, maxActiveRules)) >= maxActiveRules) {
    throw notApplicable(`A book has at most ${String(maxActiveRules)} active rules. End some first.`);
  }
  const { match, code, then, delaySeconds, correctedData, share, seed, count, until } = request;
  const rule: NewRule = {
    id: newId("inj"),
    ...storedMatch(match, cipher),
    direction: match.direction ?? null,
    actsOn,
    fault: request.fault,
    code: code ?? null,
    then: then ?? (request.fault === "Timeout" ? "Settle" : null),
    delaySeconds: delaySeconds ?? null,
    correctedData: correctedData ?? null,
    share: share ?? null,
    seed: seed ?? null,
    count: count ?? null,
    until: until === undefined ? null : new Date(until),
    createdBy: principal,
  };
  await insertRule(sql, book, rule);
  const { fault, id: injectionId } = rule;
  const details = { fault, code: rule.code };
  await insertLogEntries(sql, [
    { book, kind: "InjectionCreated", actor: principal, bookTime: now, injectionId, details },
  ]);
  const view = await readRule(sql, book, injectionId, now);
  if (view === undefined) throw new TypeError("the rule was not stored");
  return view;
}

function storedMatch(
  { orderId, externalId, rail, accountNumber }: RuleRequest["match"],
  cipher: SecretCipher,
): Pick<NewRule, "match" | "account"> {
  const by = (kind: RuleMatch["kind"], value: string) => ({ match: { kind, value }, account: null });
  if (orderId !== undefined) return by("Order", uuidOf(orderId));
  if (externalId !== undefined) return by("ExternalId", externalId);
  if (rail !== undefined) return by("Rail", rail);
  if (accountNumber === undefined) throw new TypeError("the request's schema wants one member of match");
  const { keyId, hash } = hashedNumber(cipher, accountNumber);
  return { match: { kind: "Account", value: hash }, account: { keyId, last4: accountNumber.last4 } };
}

async function endRuleOf(
  { sql }: UnitOfWork,
  { caller: { book, principal } }: RequestContext,
  id: string,
): Promise<InjectionView> {
  const now = await readTimeIn(sql, book);
  const rule = isId("inj", id) ? await readRule(sql, book, id, now) : undefined;
  if (rule === undefined) throw notFound("injection");
  if (rule.fault === "Outage") await lockAgainstHandOffs(sql, book);
  if (rule.status !== "Active" || !(await endRule(sql, book, rule.id, principal))) {
    const { status } = (await readRule(sql, book, rule.id, now)) ?? rule;
    throw new Refusal("invalid_state_transition", `This rule is ${status}: there is nothing to end.`, {
      context: { currentStatus: status, allowedStatuses: ["Active"] },
    });
  }
  const { fault, code } = rule;
  await insertLogEntries(sql, [
    {
      book,
      kind: "InjectionEnded",
      actor: principal,
      bookTime: now,
      injectionId: rule.id,
      details: { fault, code },
    },
  ]);
  return rule;
}
