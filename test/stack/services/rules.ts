/** The handler of injection rules, with a stand-in for orders. */
import { expect } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { type BookId, bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import type { RequestType } from "../../../contracts/message.ts";
import { CreateInjection, ListInjections } from "../../../contracts/messages/injections.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import type { SecretCipher } from "../../../services/platform/encryption/secret-cipher.ts";
import { createLogger } from "../../../services/platform/observability/logger.ts";
import { Metrics } from "../../../services/platform/observability/metrics.ts";
import { IdempotentReplay, type RequestContext } from "../../../services/platform/handlers/decorators.ts";
import type { RpcClient } from "../../../services/platform/rpc/client.ts";
import type { RuleRequest } from "../../../services/rails-simulator/injections/domain/new-rule.ts";
import { FaultsByRule } from "../../../services/rails-simulator/injections/faults-by-rule.ts";
import { ManageRules } from "../../../services/rails-simulator/injections/manage-rules.handler.ts";
import { RailOutages } from "../../../services/rails-simulator/instructions/rail-outages.ts";
import { RecheckPayments } from "../../../services/rails-simulator/rechecks/recheck-payments.worker.ts";
import { SimulatedRail } from "../../../services/rails-simulator/instructions/simulated-rail.ts";
import type { TestUnits } from "../database/units.ts";

type Order = Pick<PaymentOrder, "id" | "rail" | "direction" | "status" | "externalId">;
export type RuleBook = RequestContext & { readonly book: BookId };

export function ruleDesk(bank: TestUnits, cipher: SecretCipher) {
  const known: Order[] = [];
  const orders: unknown = {
    request: (type: RequestType, _from: unknown, data: { id?: string; externalId?: string }) => {
      if (type !== GetOrder) {
        const found = known.filter(({ externalId }) => externalId === data.externalId);
        return Promise.resolve({ value: { data: found }, replayed: false });
      }
      const order = known.find(({ id }) => id === data.id);
      return order === undefined
        ? Promise.reject(new Refusal("not_found", "There is no such payment order."))
        : Promise.resolve({ value: order, replayed: false });
    },
  };
  const rail = new SimulatedRail(cipher, new FaultsByRule(cipher));
  const outages = new RailOutages(rail);
  const log = createLogger("rails", "silent");
  const rechecks = new RecheckPayments(bank.database, bank.units, outages, new Metrics("rails"), log);
  const client = orders as RpcClient;
  const handler = new ManageRules(client, bank.database, bank.units, cipher, outages, rechecks);
  return {
    handler,
    orders: client,
    rail,
    outages,
    rechecks,
    /** A Pending Credit over Ach, unless `order` says otherwise. */
    givenOrder(order: Partial<Order>): Order {
      const whole: Order = {
        id: newId("po"),
        rail: "Ach",
        direction: "Credit",
        status: "Pending",
        externalId: null,
        ...order,
      };
      known.push(whole);
      return whole;
    },
    /** A rule that returns every payment on Ach, unless `request` says otherwise. */
    async create(request: Partial<RuleRequest>, from: RuleBook) {
      const parsed = CreateInjection.data.parse({ match: { rail: "Ach" }, fault: "Return", ...request });
      const answer = await handler.create(parsed, from);
      return CreateInjection.reply.parse(answer instanceof IdempotentReplay ? answer.value : answer);
    },
    list: (from: RuleBook) => handler.list(ListInjections.data.parse({}), from),
  };
}

/** A tester of a book of their own. */
export function givenBook(mode: "Test" | "Live" = "Test"): RuleBook {
  const tenant = newId("ten");
  const book = bookIdOf(tenant, mode);
  return {
    book,
    caller: { book, tenant, mode, principal: "qa", requestId: "req_1" },
    correlationid: "req_1",
  };
}

/** The code of a refusal, and the field that it points at. */
export async function refusalOf(act: Promise<unknown>): Promise<[string, string | undefined]> {
  const refused: unknown = await act.catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refusal);
  const { code, errors = [] } = refused as Refusal;
  return [code, errors[0]?.pointer];
}
