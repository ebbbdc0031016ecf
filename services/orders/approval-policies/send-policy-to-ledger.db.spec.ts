import { describe, expect, it } from "vitest";
import type { ApprovalPolicyPut } from "../../../contracts/http/payments/approval-policies.ts";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import {
  ApprovalPolicyChanged,
  DecidePolicyProposal,
  GetApprovalPolicy,
  ListPolicyProposals,
  PutApprovalPolicy,
} from "../../../contracts/messages/orders.ts";
import { expectRefusal } from "../../../test/stack/refusals.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";

// The requirement on ledger transactions, which orders owns and the ledger enforces. The test plays the ledger.
const orders = new OrdersOnTest();
const bookOfItsOwn = () => orders.caller("ann", newId("ten"));

/** The default policy as an earlier document has it, with this change. */
async function put(caller: Caller, change: Partial<ApprovalPolicyPut> = {}, key?: string) {
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
  return (await orders.request(PutApprovalPolicy, body, { caller, ...(key === undefined ? {} : { key }) }))
    .value;
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

  it("reaches the ledger before the answer, and by an event that is committed with it", async () => {
    const caller = bookOfItsOwn();
    const before = orders.ledger.policies.length;
    await put(caller, { requireApprovalForLedgerTransactions: true });
    const first = { version: 1, approvalRequired: true, thresholdCents: 1_000_000 };
    expect(orders.ledger.policies.slice(before)).toEqual([first]);
    await put(caller, { approvalThresholdCents: 500_000 });
    expect(await published(caller)).toEqual([first, { ...first, version: 2, thresholdCents: 500_000 }]);
  });

  it("is answered only once the ledger has it: while the ledger is away, the PUT is unavailable", async () => {
    const caller = bookOfItsOwn();
    const tighter = { requireApprovalForLedgerTransactions: true };
    await orders.ledger.whileAway(async () => {
      await expectRefusal(put(caller, tighter, "tighter"), "service_unavailable");
      // The event will bring it, whether or not anybody repeats the request.
      expect(await published(caller)).toMatchObject([{ version: 1, approvalRequired: true }]);
      await expectRefusal(put(caller, tighter, "tighter"), "service_unavailable");
    });
    const before = orders.ledger.policies.length;
    expect(await put(caller, tighter, "tighter")).toMatchObject({ policy: tighter });
    expect(orders.ledger.policies.slice(before)).toMatchObject([{ version: 1, approvalRequired: true }]);
  });

  it("depends on the ledger only where it is in force", async () => {
    const caller = bookOfItsOwn();
    await orders.ledger.whileAway(async () => {
      expect(await put(caller, { dailyLimitCents: 5_000_000 })).toHaveProperty("policy");
    });
    await put(caller, { requireApprovalForLedgerTransactions: true, dailyLimitCents: 5_000_000 });
    await orders.ledger.whileAway(async () => {
      const looser = { requireApprovalForLedgerTransactions: false, dailyLimitCents: 5_000_000 };
      const answer = await put(caller, looser);
      const id = "proposalId" in answer ? answer.proposalId : "";
      const bob = orders.caller("bob", caller.tenant);
      const denied = await orders.request(DecidePolicyProposal, { id, decision: "Deny" }, { caller: bob });
      expect(denied.value.status).toBe("Denied");
    });
  });
});

/** What the events say of this book's policies, oldest first. */
async function published({ book }: Caller): Promise<unknown[]> {
  const rows = await orders.sql<{ data: unknown }>(
    `select f.message -> 'data' as data
     from outbox o, jsonb_array_elements(('[' || o.message || ']')::jsonb) f (message)
     where o.book_id = $1
       and f.message ->> 'type' = $2
     order by (f.message ->> 'sequence')::int`,
    [uuidOf(book), ApprovalPolicyChanged.type],
  );
  return rows.map(({ data }) => data);
}
