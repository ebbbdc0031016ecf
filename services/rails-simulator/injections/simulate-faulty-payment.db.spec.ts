/** Calls of a tester on payments that meet a fault. */
import { expect, it } from "vitest";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { newRailEvents, submissionOf, testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { givenBook } from "../../../test/stack/services/rules.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { RpcClient } from "../../platform/rpc/client.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { Fault } from "../instructions/domain/faults.ts";
import { publishDue } from "../instructions/run-due-steps.worker.ts";
import { SimulatedRail } from "../instructions/simulated-rail.ts";
import { SimulateInstructionHandler } from "./simulate-instruction.handler.ts";

const bank = await forThisFile(openFreshUnits("rails"));
const cipher = new SecretCipher(testEncryptionKeys);

/** A Credit over Ach with this fault, handed off on a Monday in a book whose clock is Manual. */
async function faultyPayment(fault: Fault) {
  const qa = givenBook();
  const { book } = qa;
  let sequence = 0;
  const isNow = (time: string) =>
    saveClock(bank.database.sql, book, {
      mode: "Manual",
      leadMs: 0,
      standsAt: new Date(time),
      sequence: ++sequence,
    });
  await isNow("2038-02-08T15:00:00.000Z");
  const submission = submissionOf(book, { orderId: newId("po"), rail: "Ach" });
  const { orderId: id } = submission.data;
  const rail = new SimulatedRail(cipher, { assignFaults: () => Promise.resolve(new Map([[id, fault]])) });
  await bank.units.run((unit) => rail.take({ submissions: [submission], inquiries: [] }, unit));
  const order = { id, rail: "Ach", direction: "Credit", status: "Completed" } as PaymentOrder;
  const orders = { request: () => Promise.resolve({ value: order, replayed: false }) };
  const handler = new SimulateInstructionHandler(
    orders as unknown as RpcClient,
    bank.database,
    bank.units,
    cipher,
  );
  return {
    simulate: (action: "settle" | "late-return", force: boolean) =>
      handler.simulate({ orderId: id, action, force, ...(action === "settle" ? {} : { code: "R02" }) }, qa),
    saysAt: async (time: string) => {
      await isNow(time);
      await bank.units.run((unit) => publishDue(unit, cipher, new Date()));
      return newRailEvents(bank);
    },
    movements: async () => {
      const rows = await bank.database.sql<{ kind: string }>(
        "select kind from bank_movement where order_id = $1 order by kind",
        [uuidOf(id)],
      );
      return rows.map(({ kind }) => kind);
    },
  };
}
const tuesdayMorning = "2038-02-09T13:30:00.000Z";
const thursdayMorning = "2038-02-11T13:30:00.000Z";

it("a payment that was returned before its settlement settles by force, and once", async () => {
  const payment = await faultyPayment({ kind: "OutOfOrder", code: "R02" });
  expect(await payment.saysAt(tuesdayMorning)).toEqual(["1 accepted", "3 returned R02"]);
  expect(await payment.simulate("settle", true)).toMatchObject({ effect: "Applied" });
  expect(await newRailEvents(bank)).toEqual(["2 settled"]);
  expect(await payment.saysAt(thursdayMorning)).toEqual([]);
  expect(await payment.movements()).toEqual(["Return", "Settlement"]);
});

it("a return that is repeated leaves the second one of its rule to come", async () => {
  const payment = await faultyPayment({ kind: "DuplicateReturn", code: "R02" });
  expect(await payment.saysAt(tuesdayMorning)).toEqual(["1 accepted", "2 settled"]);
  expect(await payment.saysAt(thursdayMorning)).toEqual(["3 returned R02"]);
  expect(await payment.simulate("late-return", false)).toMatchObject({ effect: "Repeat" });
  expect(await newRailEvents(bank)).toEqual(["2 settled", "3 returned R02"]);
  expect(await payment.saysAt("2038-02-11T13:31:00.000Z")).toEqual(["4 returned R02"]);
  expect(await payment.movements()).toEqual(["Return", "Return", "Settlement"]);
});
