import { describe, expect, it } from "vitest";
import type { ApprovalPolicy } from "../../../contracts/http/payments/approval-policies.ts";
import { newId, type ProposalId, type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import {
  DecidePolicyProposal,
  GetApprovalPolicy,
  ListPolicyProposals,
  PutApprovalPolicy,
} from "../../../contracts/messages/orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal, refusalOf } from "../../../test/stack/refusals.ts";

const orders = new OrdersOnTest(2);

const defaults: ApprovalPolicy = {
  requireApprovalForAll: false,
  approvalThresholdCents: 1_000_000,
  dualApprovalThresholdCents: 5_000_000,
  dualApprovalRails: ["Wire"],
  allowSelfApproval: false,
  requireVerifiedCounterparty: false,
  requireApprovalForLedgerTransactions: false,
  dailyLimitCents: null,
  approvalExpiresAfterHours: 72,
};

/** A book of its own for each test, because a policy belongs to its book. */
class Book {
  readonly #tenant: TenantId = newId("ten");

  as(principal: string): Caller {
    return orders.caller(principal, this.#tenant);
  }
  async policy(): Promise<ApprovalPolicy> {
    return (await orders.request(GetApprovalPolicy, {}, { caller: this.as("ann") })).value;
  }
  put(change: Partial<ApprovalPolicy>, by: { principal?: string; key?: string; body?: string } = {}) {
    const { principal = "ann", ...more } = by;
    return orders.request(
      PutApprovalPolicy,
      { ...defaults, ...change },
      { caller: this.as(principal), body: JSON.stringify(change), ...more },
    );
  }
  /** Puts a looser policy, and returns the id of its proposal. */
  async propose(change: Partial<ApprovalPolicy>, principal = "ann"): Promise<ProposalId> {
    const { value } = await this.put(change, { principal });
    if (!("proposalId" in value)) throw new Error("it was in force at once");
    return value.proposalId;
  }
  decide(id: string, principal: string, decision: "Approve" | "Deny" = "Approve", key?: string) {
    const by = { caller: this.as(principal), ...(key === undefined ? {} : { key }) };
    return orders.request(DecidePolicyProposal, { id, decision }, by);
  }
  async proposals(query: Parameters<typeof orders.request<typeof ListPolicyProposals>>[1] = {}) {
    return (await orders.request(ListPolicyProposals, query, { caller: this.as("ann") })).value;
  }
  async statuses(): Promise<Record<string, string>> {
    const { data } = await this.proposals();
    return Object.fromEntries(data.map(({ id, status }) => [id, status]));
  }
  versions() {
    return orders.sql<{ version: number }>(
      "select version, put_by, proposal_id is not null as proposed from approval_policy where book_id = $1 order by version",
      [uuidOf(this.as("ann").book)],
    );
  }
}

describe("the policy of a book", () => {
  it("is the default until it is put, and GET gives what PUT takes", async () => {
    const book = new Book();
    expect(await book.policy()).toEqual(defaults);
    const tighter = { ...defaults, requireApprovalForAll: true, dailyLimitCents: 5_000 };
    expect((await book.put(tighter)).value).toEqual({ policy: tighter });
    expect(await book.policy()).toEqual(tighter);
    expect(await new Book().policy()).toEqual(defaults);
  });

  it("is stored version by version, with who changed it; putting it again changes nothing", async () => {
    const book = new Book();
    await book.put({ approvalThresholdCents: 500_000 });
    await book.put({ approvalThresholdCents: 500_000, dualApprovalRails: ["Wire", "Wire"] });
    await book.put({ approvalThresholdCents: 400_000 }, { principal: "ben" });
    expect(await book.versions()).toEqual([
      { version: 1, put_by: "ann", proposed: false },
      { version: 2, put_by: "ben", proposed: false },
    ]);
  });

  it("is stored again after every change, whichever member changes", async () => {
    const book = new Book();
    const tighter: Partial<ApprovalPolicy>[] = [
      { requireApprovalForAll: true },
      { approvalThresholdCents: 1 },
      { dualApprovalThresholdCents: 1 },
      { dualApprovalRails: ["Ach", "Wire"] },
      { requireVerifiedCounterparty: true },
      { requireApprovalForLedgerTransactions: true },
      { dailyLimitCents: 1 },
      { approvalExpiresAfterHours: 1 },
    ];
    let policy = {};
    for (const change of tighter) {
      policy = { ...policy, ...change };
      await book.put(policy);
      expect(await book.policy()).toEqual({ ...defaults, ...policy });
    }
    expect(await book.versions()).toHaveLength(8);
  });

  it("can't be rewritten, and of a proposal only its decision can", async () => {
    for (const statement of [
      "update approval_policy set put_by = 'nobody'",
      "delete from approval_policy",
      "update policy_proposal set policy = '{}'",
      "update policy_proposal set proposed_by = 'nobody'",
      "delete from policy_proposal",
    ]) {
      await expect(orders.sql(statement)).rejects.toMatchObject({ code: "42501" });
    }
  });

  it("is put once per Idempotency-Key, whether it applies or is proposed", async () => {
    const book = new Book();
    const held = await book.put({ requireApprovalForAll: true }, { key: "held" });
    expect(await book.put({ requireApprovalForAll: true }, { key: "held" })).toEqual({
      value: held.value,
      replayed: true,
    });
    const proposed = await book.put({}, { key: "proposed" });
    expect(await book.put({}, { key: "proposed" })).toEqual({ value: proposed.value, replayed: true });
    expect((await book.proposals()).data).toHaveLength(1);
    await expectRefusal(book.put({ dailyLimitCents: 1 }, { key: "held" }), "idempotency_key_reused");
  });

  it("takes concurrent changes one after the other", async () => {
    const book = new Book();
    const limits = [900, 800, 700, 600, 500, 400, 300, 200];
    await Promise.all(limits.map((dailyLimitCents) => book.put({ dailyLimitCents })));
    const versions = await book.versions();
    expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => index + 1));
    expect((await book.policy()).dailyLimitCents).toBe(200);
  });
});

describe("a looser policy", () => {
  it("waits for another principal than the one who proposed it, and then applies", async () => {
    const book = new Book();
    const id = await book.propose({ dualApprovalRails: [], approvalThresholdCents: 1 });
    expect(await book.policy()).toEqual(defaults);
    const [open] = (await book.proposals({ status: "Open" })).data;
    expect(open).toMatchObject({
      id,
      status: "Open",
      loosens: ["dualApprovalRails"],
      policy: { ...defaults, dualApprovalRails: [], approvalThresholdCents: 1 },
      proposedBy: "ann",
      decidedBy: null,
      decidedAt: null,
    });

    await expectRefusal(book.decide(id, "ann"), "self_approval_not_allowed", { context: { resourceId: id } });
    await expectRefusal(book.decide(id, "\u0430nn"), "self_approval_not_allowed");
    expect(await book.policy()).toEqual(defaults);

    const { value } = await book.decide(id, "ben");
    expect(value).toMatchObject({ id, status: "Approved", decidedBy: "ben" });
    expect(await book.policy()).toMatchObject({ dualApprovalRails: [], approvalThresholdCents: 1 });
    expect(await book.versions()).toEqual([{ version: 1, put_by: "ben", proposed: true }]);
  });

  it("that is denied never applies", async () => {
    const book = new Book();
    const id = await book.propose({ allowSelfApproval: true });
    await expectRefusal(book.decide(id, "ann", "Deny"), "self_approval_not_allowed");
    expect((await book.decide(id, "ben", "Deny")).value).toMatchObject({ status: "Denied" });
    await expectRefusal(book.decide(id, "cat"), "invalid_state_transition", {
      context: { currentStatus: "Denied", allowedStatuses: ["Open"] },
    });
    expect(await book.policy()).toEqual(defaults);
  });

  it("is superseded by any other change of the policy, so that no tightening is undone unseen", async () => {
    const book = new Book();
    const before = await book.propose({ approvalThresholdCents: 2_000_000 });
    await book.put({ requireApprovalForAll: true }, { principal: "cat" });
    await expectRefusal(book.decide(before, "ben"), "invalid_state_transition", {
      message:
        "This proposal is Superseded and can't be decided. The policy has changed since: propose it again.",
    });
    expect(await book.policy()).toEqual({ ...defaults, requireApprovalForAll: true });

    const [one, other] = [
      await book.propose({ requireApprovalForAll: true, approvalThresholdCents: 2_000_000 }),
      await book.propose({ requireApprovalForAll: true, allowSelfApproval: true }, "ben"),
    ];
    await book.decide(one, "cat");
    expect(await book.statuses()).toEqual({
      [before]: "Superseded",
      [one]: "Approved",
      [other]: "Superseded",
    });
  });

  it("outlives a PUT that changes nothing", async () => {
    const book = new Book();
    const id = await book.propose({ approvalExpiresAfterHours: 100 });
    await book.put({});
    expect((await book.decide(id, "ben")).value.status).toBe("Approved");
  });

  it("is decided once, however many approve it at once", async () => {
    const book = new Book();
    const id = await book.propose({ approvalExpiresAfterHours: 100 });
    const answers = await Promise.allSettled(["ben", "cat", "dan"].map((name) => book.decide(id, name)));
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(await book.versions()).toHaveLength(1);
  });

  it("is decided once per Idempotency-Key", async () => {
    const book = new Book();
    const id = await book.propose({ approvalExpiresAfterHours: 100 });
    const first = await book.decide(id, "ben", "Approve", "decided");
    expect(await book.decide(id, "ben", "Approve", "decided")).toEqual({
      value: first.value,
      replayed: true,
    });
  });

  it("of another book is not found, like one that does not exist and an id that is malformed", async () => {
    const id = await new Book().propose({ allowSelfApproval: true });
    for (const requested of [id, newId("prop"), newId("po"), "prop_nonsense", ""]) {
      const refusal = await refusalOf(new Book().decide(requested, "ben"));
      expect([requested, refusal.code]).toEqual([requested, "not_found"]);
    }
  });

  it("is listed newest first, page by page and by status", async () => {
    const book = new Book();
    const made: ProposalId[] = [];
    for (const hours of [100, 200, 300])
      made.unshift(await book.propose({ approvalExpiresAfterHours: hours }));
    const first = await book.proposals({ limit: 2 });
    expect([first.data.map(({ id }) => id), first.hasMore]).toEqual([made.slice(0, 2), true]);
    const second = await book.proposals({ limit: 2, cursor: first.nextCursor ?? "" });
    expect([second.data.map(({ id }) => id), second.hasMore]).toEqual([made.slice(2), false]);
    expect((await book.proposals({ status: "Superseded" })).data).toEqual([]);
    expect((await new Book().proposals()).data).toEqual([]);

    await book.decide(made[1]!, "ben", "Deny");
    const two = { status: ["Denied", "Open"], limit: 2 };
    const newer = await book.proposals(two);
    const older = await book.proposals({ ...two, cursor: newer.nextCursor ?? "" });
    expect([...newer.data, ...older.data].map(({ id, status }) => [id, status])).toEqual([
      [made[0], "Open"],
      [made[1], "Denied"],
      [made[2], "Open"],
    ]);
    expect(older.hasMore).toBe(false);
  });
});

describe("a policy that accepts verified counterparties only", () => {
  it("refuses inline details at submission but not in a Draft, and writes nothing", async () => {
    const book = new Book();
    await book.put({ requireVerifiedCounterparty: true });
    await expectRefusal(orders.create({}, { caller: book.as("maker") }), "counterparty_unverified", {
      errors: [{ pointer: "/counterpartyId", code: "counterparty_unverified" }],
    });
    const draft = await orders.create({ submit: false }, { caller: book.as("maker") });
    expect(draft.status).toBe("Draft");
    const count = await orders.sql("select 1 from payment_order where book_id = $1", [
      uuidOf(book.as("maker").book),
    ]);
    expect(count).toHaveLength(1);
  });

  it("lets money move within the book, which has no counterparty", async () => {
    const book = new Book();
    await book.put({ requireVerifiedCounterparty: true });
    const order = await orders.create(
      { rail: "Book", counterpartyAccountNumber: orders.encrypt("Reserve") },
      { caller: book.as("maker") },
    );
    expect(order.status).toBe("Submitted");
  });
});
