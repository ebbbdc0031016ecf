import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { checkDigitOf } from "../../../contracts/virtual-number.ts";
import { Refusal } from "../../../contracts/errors.ts";
import type { OrderStatus } from "../../../contracts/http/payments/payment-order-parts.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { bookIdOf, newId, newUuid } from "../../../contracts/ids/ids.ts";
import { SimulateInstruction } from "../../../contracts/messages/rails.ts";
import type { OrderDirection, Rail } from "../../../contracts/rails/rails.ts";
import { newRailEvents, submissionOf, testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import type { RpcClient } from "../../platform/rpc/client.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { SimulateInstructionHandler } from "./simulate-instruction.handler.ts";
import { publishDue } from "../instructions/run-due-steps.worker.ts";
import { noFaultRules } from "../instructions/fault-rules.ts";
import { SimulatedRail } from "../instructions/simulated-rail.ts";

const cipher = new SecretCipher(testEncryptionKeys);
const rail = new SimulatedRail(cipher, noFaultRules);
const tenant = newId("ten");
const book = bookIdOf(tenant, "Test");

type Order = Pick<PaymentOrder, "id" | "rail" | "direction" | "status" | "ledgerAccountName">;
type Simulation = Parameters<SimulateInstructionHandler["simulate"]>[0];

let order: Order;
const bank = await forThisFile(openFreshUnits("rails"));
// Stands in for orders, which answers GetOrder. rails-simulator.module.db.spec.ts tests it over NATS.
const orders = {
  request: (_type: unknown, _from: unknown, { id }: { id: string }) =>
    id === order.id
      ? Promise.resolve({ value: order, replayed: false })
      : Promise.reject(new Refusal("not_found", "There is no such payment order.")),
};
const handler = new SimulateInstructionHandler(
  orders as unknown as RpcClient,
  bank.database,
  bank.units,
  cipher,
);
beforeEach(() => bank.takeMessages());

function givenOrder(status: OrderStatus, on: Rail = "Ach", direction: OrderDirection = "Debit"): void {
  order = { id: newId("po"), rail: on, direction, status, ledgerAccountName: "Operating" };
}

const context: RequestContext = {
  caller: { book, tenant, mode: "Test", principal: "qa", requestId: "req_1" },
  correlationid: "req_1",
};

async function simulate(action: Simulation["action"], more: Partial<Simulation> = {}, from = context) {
  const answer = await handler.simulate({ orderId: order.id, action, ...more }, from);
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

function handOff(accountNumber?: string): Promise<unknown> {
  const { id: orderId, rail: on, direction } = order;
  const originator = { tenantId: tenant, name: "Operating" };
  const submission = submissionOf(book, { orderId, rail: on, direction, originator }, accountNumber);
  return bank.units.run((unit) => rail.take({ submissions: [submission], inquiries: [] }, unit));
}
const publishAll = () => bank.units.run((unit) => publishDue(unit, cipher, new Date(Date.now() + 60_000)));

const published = () => newRailEvents(bank);

describe("an injection before hand-off", () => {
  it.each(["Draft", "Submitted", "Pending", "Processing"] as const)(
    "of a %s order takes effect at hand-off",
    async (status) => {
      givenOrder(status);
      expect(await simulate("return", { code: "R02" })).toEqual({
        paymentOrderId: order.id,
        action: "return",
        code: "R02",
        effect: "Kept",
      });
      expect(await published()).toEqual([]);
      await handOff();
      await publishAll();
      expect(await published()).toEqual(["1 accepted", "2 returned R02"]);
    },
  );

  it("takes precedence over a magic account number", async () => {
    givenOrder("Draft");
    await simulate("settle");
    await handOff("100001");
    expect(await published()).toEqual(["2 settled"]);
  });

  it("is replaced by the next one", async () => {
    givenOrder("Draft", "Rtp", "Credit");
    await simulate("accept");
    expect(await simulate("fail")).toMatchObject({ code: "AC04", effect: "Kept" });
    await handOff();
    expect(await published()).toEqual(["1 failed AC04"]);
  });

  it("settles and then returns late", async () => {
    givenOrder("Pending");
    await simulate("late-return");
    await handOff();
    expect(await published()).toEqual(["2 settled"]);
    await publishAll();
    expect(await published()).toEqual(["3 returned R01"]);
  });

  it("corrects the payment's data after its settlement", async () => {
    givenOrder("Pending");
    const correctedData = { routingNumber: "790001102", accountNumber: cipher.encrypt("000987654321") };
    expect(await simulate("notify-of-change", { code: "C03", correctedData })).toMatchObject({
      effect: "Kept",
    });
    await handOff();
    expect(await published()).toEqual(["2 settled"]);
    await publishAll();
    expect(await bank.takeMessages()).toMatchObject([{ data: { number: 3, code: "C03", correctedData } }]);
  });

  it("is never lost to a concurrent hand-off", async () => {
    for (let round = 0; round < 20; round += 1) {
      givenOrder("Pending");
      const [result] = await Promise.all([simulate("return"), handOff()]);
      await publishAll();
      expect(result.effect).toMatch(/Kept|Applied/);
      expect(await published()).toEqual(["1 accepted", "2 returned R01"]);
    }
  });
});

describe("an injection at the rail", () => {
  it("replaces the unpublished steps at once", async () => {
    givenOrder("Processing");
    await handOff();
    expect(await simulate("return", { code: "R09" })).toMatchObject({ effect: "Applied", code: "R09" });
    await publishAll();
    expect(await published()).toEqual(["1 accepted", "2 returned R09"]);
  });

  it("continues a payment whose hand-off timed out", async () => {
    givenOrder("Processing", "Wire", "Credit");
    await handOff("400000");
    await simulate("settle");
    await publishAll();
    expect(await published()).toEqual(["2 settled"]);
  });

  it("keeps an accepted payment where it is until the next injection", async () => {
    givenOrder("Processing");
    await handOff();
    expect(await simulate("accept")).toMatchObject({ effect: "Applied" });
    await publishAll();
    expect(await published()).toEqual(["1 accepted", "1 accepted"]);
    await simulate("settle");
    expect(await published()).toEqual(["2 settled"]);
  });

  it("returns a completed payment late, and publishes everything again if it is repeated", async () => {
    givenOrder("Processing");
    await handOff();
    await publishAll();
    order = { ...order, status: "Completed" };
    expect(await simulate("late-return", { code: "R10" })).toMatchObject({ effect: "Applied" });
    expect(await published()).toEqual(["1 accepted", "2 settled", "3 returned R10"]);
    expect(await simulate("late-return", { code: "R10" })).toMatchObject({ effect: "Repeat", code: "R10" });
    expect(await published()).toEqual(["2 settled", "3 returned R10"]);
    expect(await simulate("return", { code: "R10", force: true })).toMatchObject({ effect: "Repeat" });
    expect(await simulate("late-return", { code: "R02", force: true })).toMatchObject({ effect: "Applied" });
  });

  it("that settles an RTP payment to a virtual account has it come in", async () => {
    givenOrder("Draft", "Rtp", "Credit");
    await simulate("accept");
    const number = "1234567890123456";
    await handOff(number + checkDigitOf(number));
    expect(await published()).toEqual(["1 accepted"]);
    await simulate("settle");
    expect((await bank.takeMessages()).map(({ type, data }) => [type, data])).toEqual([
      ["rails.instruction-settled.v1", expect.anything()],
      [
        "rails.inbound-received.v1",
        expect.objectContaining({ tenantId: tenant, originatorName: "Operating", amountCents: 4_000 }),
      ],
    ]);
  });

  it("by force settles a rejected payment, and returns a returned payment again", async () => {
    givenOrder("Failed", "Rtp", "Credit");
    await handOff("300403");
    expect(await published()).toEqual(["1 failed AC03"]);
    expect((await refusal(simulate("settle"))).code).toBe("simulation_not_applicable");
    await simulate("settle", { force: true });
    expect(await published()).toEqual(["2 settled"]);

    givenOrder("Returned", "Ach", "Credit");
    await handOff("100003");
    await publishAll();
    await published();
    await simulate("late-return", { code: "R02", force: true });
    expect(await published()).toEqual(["3 returned R02"]);
  });

  it("passes the caller's correlation id to the events", async () => {
    givenOrder("Processing");
    await handOff();
    await simulate("settle");
    expect((await bank.takeMessages()).at(-1)).toMatchObject({
      subject: order.id,
      correlationid: "req_1",
      sequence: 2,
    });
  });
});

describe("a simulation", () => {
  it("is refused with a live key", async () => {
    givenOrder("Draft");
    const live: RequestContext = { ...context, caller: { ...context.caller, mode: "Live" } };
    expect((await refusal(simulate("settle", {}, live))).code).toBe("simulation_requires_test_key");
  });

  it("is refused for an order of another book", async () => {
    givenOrder("Draft");
    expect((await refusal(simulate("settle", { orderId: newId("po") }))).code).toBe("not_found");
  });

  it("is refused with a code that rail and direction don't allow, unless forced", async () => {
    givenOrder("Draft", "Ach", "Credit");
    const refused = await refusal(simulate("return", { code: "R01" }));
    expect(refused).toMatchObject({ code: "simulation_not_applicable", context: { code: "R01" } });
    expect(refused.errors).toMatchObject([{ pointer: "/code", code: "simulation_not_applicable" }]);
    expect(refused.message).toContain("R02, R03, R04");
    expect(await simulate("return", { code: "R01", force: true })).toMatchObject({
      code: "R01",
      effect: "Kept",
    });
  });

  it("of a return is refused after settlement, and the refusal names late-return", async () => {
    givenOrder("Processing");
    await handOff();
    await publishAll();
    order = { ...order, status: "Completed" };
    const refused = await refusal(simulate("return"));
    expect(refused).toMatchObject({ code: "simulation_not_applicable", context: { instead: "late-return" } });
  });

  it.each(["Failed", "Returned", "Cancelled"] as const)("is refused for a %s order", async (status) => {
    givenOrder(status);
    const refused = await refusal(simulate("settle"));
    expect(refused).toMatchObject({ code: "simulation_not_applicable", context: { currentStatus: status } });
    expect(await published()).toEqual([]);
  });

  it("is refused for a completed order that was never at its rail", async () => {
    givenOrder("Completed");
    expect((await refusal(simulate("late-return"))).message).toContain("never at its rail");
  });

  it("is refused for a Book order", async () => {
    givenOrder("Draft", "Book", "Credit");
    expect((await refusal(simulate("settle"))).message).toContain("never meets a rail");
  });

  it("changes nothing if it is refused", async () => {
    givenOrder("Processing");
    await handOff();
    await refusal(simulate("return", { code: "AC04" }));
    await publishAll();
    expect(await published()).toEqual(["1 accepted", "2 settled"]);
  });
});

describe("a simulation with an Idempotency-Key", () => {
  it("is applied once and replayed with the same answer", async () => {
    givenOrder("Processing");
    await handOff();
    const keyed: RequestContext = { ...context, idempotency: { key: newUuid(), fingerprint: "f1" } };
    const first = await simulate("settle", {}, keyed);
    const again = await handler.simulate({ orderId: order.id, action: "settle" }, keyed);
    expect(again).toEqual(new IdempotentReplay(first));
    expect(await published()).toEqual(["1 accepted", "2 settled"]);
  });
});
