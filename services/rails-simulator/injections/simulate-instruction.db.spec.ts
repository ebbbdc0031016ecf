import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import type { OrderStatus } from "../../../contracts/http/payments/payment-order-parts.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { bookIdOf, newId, newUuid } from "../../../contracts/ids/ids.ts";
import { SimulateInstruction } from "../../../contracts/messages/rails.ts";
import type { OrderDirection, Rail } from "../../../contracts/rails/rails.ts";
import { createDatabase, type TestDatabase } from "../../../test/stack/servers/database.ts";
import { openUnits, type TestUnits } from "../../../test/stack/units.ts";
import { type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import type { RpcClient } from "../../platform/rpc/client.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import { InjectFault } from "./simulate-instruction.handler.ts";
import type { Submission } from "../instructions/rail-adapter.ts";
import { sayDue } from "../instructions/run-due-steps.worker.ts";
import { SimulatedRail } from "../instructions/simulated-rail.ts";

const seals = new AccountNumberCipher(`k1:${randomBytes(32).toString("base64")}`);
const rail = new SimulatedRail(seals);
const tenant = newId("ten");
const book = bookIdOf(tenant, "Test");

type Order = Pick<PaymentOrder, "id" | "rail" | "direction" | "status">;
type Simulation = Parameters<InjectFault["simulate"]>[0];

let server: TestDatabase;
let bank: TestUnits;
let order: Order;
let faults: InjectFault;
beforeAll(async () => {
  server = await createDatabase("rails");
  bank = await openUnits(server.urlOf("rails"));
  // Orders' answer to GetOrder; the whole way over NATS is a journey's affair.
  const orders = {
    ask: (_type: unknown, _from: unknown, { id }: { id: string }) =>
      id === order.id
        ? Promise.resolve({ value: order, replayed: false })
        : Promise.reject(new Refusal("not_found", "There is no such payment order.")),
  };
  faults = new InjectFault(orders as unknown as RpcClient, bank.units);
});
afterAll(async () => {
  await bank.close();
  await server.drop();
});
beforeEach(() => bank.takeMessages());

function an(status: OrderStatus, on: Rail = "Ach", direction: OrderDirection = "Debit"): void {
  order = { id: newId("po"), rail: on, direction, status };
}

const ask: RequestContext = {
  caller: { book, tenant, mode: "Test", principal: "qa", requestId: "req_1" },
  correlationid: "req_1",
};

async function simulate(action: Simulation["action"], more: Partial<Simulation> = {}, from = ask) {
  const answer = await faults.simulate({ orderId: order.id, action, ...more }, from);
  return SimulateInstruction.reply.parse(answer instanceof IdempotentReplay ? answer.value : answer);
}

async function refusal(act: Promise<unknown>): Promise<Refusal> {
  const thrown = await act.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(Refusal);
  return thrown as Refusal;
}

function handOff(account = "123456789"): Promise<void> {
  const submission: Submission = {
    id: newUuid(),
    type: "rails.submit-instruction.v1",
    time: new Date().toISOString(),
    book,
    subject: order.id,
    correlationid: "req_2",
    data: {
      orderId: order.id,
      mode: "Test",
      rail: order.rail,
      direction: order.direction,
      amountCents: 2_500,
      currency: "USD",
      counterpartyName: "Jane Receiver",
      counterpartyAccountNumber: seals.encrypt(account),
      counterpartyRoutingNumber: "790001005",
    },
  };
  return bank.units.run((unit) => rail.take({ submissions: [submission], inquiries: [] }, unit));
}
const allIsDue = () => bank.units.run((unit) => sayDue(unit, new Date(Date.now() + 60_000)));

async function said(): Promise<string[]> {
  const events = await bank.takeMessages();
  return events.map(({ type, data }) => {
    const { number, code } = data as { number?: number; code?: string };
    return [number, type.replace(/^rails\.instruction-(.*)\.v1$/, "$1"), code]
      .filter((part) => part !== undefined)
      .join(" ");
  });
}

describe("an injection before hand-off", () => {
  it.each(["Draft", "Submitted", "Pending", "Processing"] as const)(
    "is kept for a %s order and takes effect when it is handed off",
    async (status) => {
      an(status);
      expect(await simulate("return", { code: "R02" })).toEqual({
        paymentOrderId: order.id,
        action: "return",
        code: "R02",
        effect: "Kept",
      });
      expect(await said()).toEqual([]);
      await handOff();
      await allIsDue();
      expect(await said()).toEqual(["1 accepted", "2 returned R02"]);
    },
  );

  it("goes before a magic account number", async () => {
    an("Draft");
    await simulate("settle");
    await handOff("100001");
    expect(await said()).toEqual(["1 accepted", "2 settled"]);
  });

  it("is replaced by the next one", async () => {
    an("Draft", "Rtp", "Credit");
    await simulate("accept");
    expect(await simulate("fail")).toMatchObject({ code: "AC04", effect: "Kept" });
    await handOff();
    expect(await said()).toEqual(["1 failed AC04"]);
  });

  it("settles and then returns late", async () => {
    an("Pending");
    await simulate("late-return");
    await handOff();
    expect(await said()).toEqual(["1 accepted", "2 settled"]);
    await allIsDue();
    expect(await said()).toEqual(["3 returned R01"]);
  });

  it("is never lost when the hand-off happens at the same moment", async () => {
    for (let round = 0; round < 20; round += 1) {
      an("Pending");
      const [result] = await Promise.all([simulate("return"), handOff()]);
      await allIsDue();
      expect(result.effect).toMatch(/Kept|Applied/);
      expect(await said()).toEqual(["1 accepted", "2 returned R01"]);
    }
  });
});

describe("an injection at the rail", () => {
  it("is applied at once, in place of what the rail was going to say", async () => {
    an("Processing");
    await handOff();
    expect(await simulate("return", { code: "R09" })).toMatchObject({ effect: "Applied", code: "R09" });
    await allIsDue();
    expect(await said()).toEqual(["1 accepted", "2 returned R09"]);
  });

  it("wakes a payment whose hand-off timed out", async () => {
    an("Processing", "Wire", "Credit");
    await handOff("400000");
    await simulate("settle");
    await allIsDue();
    expect(await said()).toEqual(["1 accepted", "2 settled"]);
  });

  it("holds an accepted payment until it is told what next", async () => {
    an("Processing");
    await handOff();
    await simulate("accept");
    await allIsDue();
    expect(await said()).toEqual(["1 accepted", "1 accepted"]);
    await simulate("settle");
    expect(await said()).toEqual(["2 settled"]);
  });

  it("returns a completed payment late, and says the same return again when asked again", async () => {
    an("Processing");
    await handOff();
    await allIsDue();
    order = { ...order, status: "Completed" };
    expect(await simulate("late-return", { code: "R10" })).toMatchObject({ effect: "Applied" });
    expect(await said()).toEqual(["1 accepted", "2 settled", "3 returned R10"]);
    await simulate("late-return", { code: "R10" });
    expect(await said()).toEqual(["1 accepted", "2 settled", "3 returned R10"]);
  });

  it("settles by force what the rail has refused, and returns once more what came back", async () => {
    an("Failed", "Rtp", "Credit");
    await handOff("300403");
    expect(await said()).toEqual(["1 failed AC03"]);
    expect((await refusal(simulate("settle"))).code).toBe("simulation_not_applicable");
    await simulate("settle", { force: true });
    expect(await said()).toEqual(["2 settled"]);

    an("Returned", "Ach", "Credit");
    await handOff("100003");
    await allIsDue();
    await said();
    await simulate("late-return", { code: "R02", force: true });
    expect(await said()).toEqual(["3 returned R02"]);
  });

  it("carries the caller's trace into the events", async () => {
    an("Processing");
    await handOff();
    await simulate("settle");
    expect((await bank.takeMessages()).at(-1)).toMatchObject({
      subject: order.id,
      correlationid: "req_1",
      sequence: 2,
    });
  });
});

describe("what can't be simulated", () => {
  it("is refused with a live key", async () => {
    an("Draft");
    const live: RequestContext = { ...ask, caller: { ...ask.caller, mode: "Live" } };
    expect((await refusal(simulate("settle", {}, live))).code).toBe("simulation_requires_test_key");
  });

  it("is refused for an order of another book", async () => {
    an("Draft");
    expect((await refusal(simulate("settle", { orderId: newId("po") }))).code).toBe("not_found");
  });

  it("is refused with a code that rail and direction don't allow, unless forced", async () => {
    an("Draft", "Ach", "Credit");
    const refused = await refusal(simulate("return", { code: "R01" }));
    expect(refused).toMatchObject({ code: "simulation_not_applicable", context: { code: "R01" } });
    expect(refused.message).toContain("R02, R03, R04");
    expect(await simulate("return", { code: "R01", force: true })).toMatchObject({
      code: "R01",
      effect: "Kept",
    });
  });

  it("is refused as a return once the payment has settled, naming late-return", async () => {
    an("Processing");
    await handOff();
    await allIsDue();
    order = { ...order, status: "Completed" };
    const refused = await refusal(simulate("return"));
    expect(refused).toMatchObject({ code: "simulation_not_applicable", context: { instead: "late-return" } });
  });

  it.each(["Failed", "Returned", "Cancelled"] as const)("is refused for a %s order", async (status) => {
    an(status);
    const refused = await refusal(simulate("settle"));
    expect(refused).toMatchObject({ code: "simulation_not_applicable", context: { currentStatus: status } });
    expect(await said()).toEqual([]);
  });

  it("is refused for a completed order that no rail has seen", async () => {
    an("Completed");
    expect((await refusal(simulate("late-return"))).message).toContain("never at its rail");
  });

  it("is refused on Book", async () => {
    an("Draft", "Book", "Credit");
    expect((await refusal(simulate("settle"))).message).toContain("never meets a rail");
  });

  it("leaves nothing behind when it is refused", async () => {
    an("Processing");
    await handOff();
    await refusal(simulate("return", { code: "AC04" }));
    await allIsDue();
    expect(await said()).toEqual(["1 accepted", "2 settled"]);
  });
});

describe("a simulation with an Idempotency-Key", () => {
  it("happens once, and answers the same again", async () => {
    an("Processing");
    await handOff();
    const keyed: RequestContext = { ...ask, idempotency: { key: newUuid(), fingerprint: "f1" } };
    const first = await simulate("settle", {}, keyed);
    const again = await faults.simulate({ orderId: order.id, action: "settle" }, keyed);
    expect(again).toEqual(new IdempotentReplay(first));
    expect(await said()).toEqual(["1 accepted", "2 settled"]);
  });
});
