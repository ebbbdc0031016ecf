import { describe, expect, it } from "vitest";
import type { ApprovalPolicyPut } from "../../../contracts/http/payments/approval-policies.ts";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { ApplyTransactionPolicy } from "../../../contracts/messages/ledger-transactions.ts";
import {
  ApprovalPolicyChanged,
  GetApprovalPolicy,
  ListPolicyProposals,
  PutApprovalPolicy,
} from "../../../contracts/messages/orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders.ts";

// The requirement on ledger transactions, which orders owns and the ledger enforces. The test plays the ledger.
const orders = new OrdersOnTest();
const bookOfItsOwn = () => orders.caller("ann", newId("ten"));

/** The default policy as an earlier document has it, with this change. */
async function put(caller: Caller, change: Partial<ApprovalPolicyPut> = {}) {
  const body: ApprovalPolicyPut = {
    requireApprovalForAll: false,
    approvalThresholdCents: 1_000_000,
    dualApprovalThresholdCents: 5_000_000,
    dualApprovalRails: ["Wire"],
    allowSelfApproval: false,
    requireVerifiedCounterparty: false,
    dailyLimitCents: null,
    approvalExpiresAfterHours: 72,
    ...change,
  };
  return (await orders.request(PutApprovalPolicy, body, { caller })).value;
}

describe("the requirement on ledger transactions", () => {
  it("keeps its value where a PUT does not name it, and is loosened only by two principals", async () => {
    const caller = bookOfItsOwn();
    const inForce = async () =>
      (await orders.request(GetApprovalPolicy, {}, { caller })).value.requireApprovalForLedgerTransactions;
    await put(caller);
    expect(await inForce()).toBe(false);
    await put(caller, { requireApprovalForLedgerTransactions: true });
    expect(await put(caller)).toMatchObject({ policy: { requireApprovalForLedgerTransactions: true } });
    expect(await inForce()).toBe(true);
    expect(await put(caller, { requireApprovalForLedgerTransactions: false })).toHaveProperty("proposalId");
    const { data } = (await orders.request(ListPolicyProposals, {}, { caller })).value;
    expect(data[0]?.loosens).toEqual(["requireApprovalForLedgerTransactions"]);
    expect(await inForce()).toBe(true);
  });

  it("reaches the ledger by a request before the answer, and by an event while the ledger is away", async () => {
    const caller = bookOfItsOwn();
    const received: unknown[] = [];
    const ledger = await orders.messaging.connectAs("ledger");
    const answering = ledger.subscribe(ApplyTransactionPolicy.subject, {
      callback: (_error, message) => {
        received.push(message.json<{ data: unknown }>().data);
        message.respond(JSON.stringify({ ok: true, value: { version: 1 } }));
      },
    });
    await ledger.flush();
    await put(caller, { requireApprovalForLedgerTransactions: true });
    const first = { version: 1, approvalRequired: true, thresholdCents: 1_000_000 };
    expect(received).toEqual([first]);
    answering.unsubscribe();
    await ledger.flush();
    await put(caller, { approvalThresholdCents: 500_000 });
    const rows = await orders.sql<{ data: unknown }>(
      `select f.message -> 'data' as data
       from outbox o, jsonb_array_elements(('[' || o.message || ']')::jsonb) f (message)
       where o.book_id = $1
         and f.message ->> 'type' = $2
       order by (f.message ->> 'sequence')::int`,
      [uuidOf(caller.book), ApprovalPolicyChanged.type],
    );
    expect(rows.map(({ data }) => data)).toEqual([first, { ...first, version: 2, thresholdCents: 500_000 }]);
  });
});
