import { describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import {
  ApproveOrder,
  GetApprovalPolicy,
  GetOrder,
  PutApprovalPolicy,
  ReadInbox,
} from "../../../contracts/messages/orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";

const orders = new OrdersOnTest();

/** A book of its own, with its maker. */
function aBook() {
  const tenant = newId("ten");
  const maker = orders.caller("maker", tenant);
  const inbox = async (principal = "ann", may = { mayApprove: true, mayDecidePolicies: true }) =>
    (await orders.request(ReadInbox, may, { caller: orders.caller(principal, tenant) })).value;
  return { maker, inbox, caller: (principal: string) => orders.caller(principal, tenant) };
}

describe("the payment orders of an inbox", () => {
  it("are those that wait for approval, as their reads show them", async () => {
    const book = aBook();
    const waiting = await orders.waitingWire({ caller: book.maker });
    await orders.create({ submit: false }, { caller: book.maker });
    await orders.createdTo("HandingOff", { rail: "Rtp" }, { caller: book.maker });
    await orders.waitingWire({ caller: aBook().maker });
    const { data, count, hasMore } = (await book.inbox()).paymentOrders;
    expect({ ids: data.map(({ id }) => id), count, hasMore }).toEqual({
      ids: [waiting],
      count: 1,
      hasMore: false,
    });
    const read = { id: waiting, mayApprove: true };
    const { value } = await orders.request(GetOrder, read, { caller: book.caller("ann") });
    const { pendingSince, ...entry } = data[0]!;
    expect(value).toMatchObject(entry);
    expect(value.statusHistory.at(-1)).toMatchObject({ to: "Pending", at: pendingSince });
    expect(entry).not.toHaveProperty("metadata");
  });

  it("say what an approval of each reader would come to", async () => {
    const book = aBook();
    const id = await orders.waitingWire({ caller: book.maker });
    await orders.request(ApproveOrder, { id }, { caller: book.caller("ann") });
    const mine = async (...reader: Parameters<typeof book.inbox>) =>
      (await book.inbox(...reader)).paymentOrders.data[0]?.approval.mine;
    expect(await mine("maker")).toEqual({ allowed: false, code: "self_approval_not_allowed" });
    expect(await mine("ann")).toEqual({ allowed: false, code: "duplicate_approval" });
    expect(await mine("ben")).toEqual({ allowed: true, code: null });
    expect(await mine("ben", { mayApprove: false, mayDecidePolicies: true })).toEqual({
      allowed: false,
      code: "insufficient_scope",
    });
  });

  it("are 100 at most, those that were created first, and all are counted", async () => {
    const book = aBook();
    const ids = await Promise.all(
      Array.from({ length: 102 }, () => orders.waitingWire({ caller: book.maker })),
    );
    const { data, count, hasMore } = (await book.inbox()).paymentOrders;
    expect({ count, hasMore }).toEqual({ count: 102, hasMore: true });
    expect(data.map(({ id }) => id).sort()).toEqual(ids.sort().slice(0, 100));
    const lapse = data.map(({ approval }) => approval.expiresAt ?? "");
    expect(lapse).toEqual([...lapse].sort());
  });
});

describe("the policy proposals of an inbox", () => {
  it("are the open ones, which their proposer can't approve", async () => {
    const book = aBook();
    const { value: policy } = await orders.request(GetApprovalPolicy, {}, { caller: book.maker });
    const put = (approvalThresholdCents: number) =>
      orders.request(
        PutApprovalPolicy,
        { ...policy, approvalThresholdCents },
        { caller: book.caller("ann") },
      );
    await put(2_000_000);
    const mine = async (...reader: Parameters<typeof book.inbox>) =>
      (await book.inbox(...reader)).policyProposals.data.map((proposal) => proposal.mine);
    expect((await book.inbox()).policyProposals).toMatchObject({
      data: [{ status: "Open", proposedBy: "ann", loosens: ["approvalThresholdCents"] }],
      count: 1,
      hasMore: false,
    });
    expect(await mine("ann")).toEqual([{ allowed: false, code: "self_approval_not_allowed" }]);
    expect(await mine("ben")).toEqual([{ allowed: true, code: null }]);
    expect(await mine("ben", { mayApprove: true, mayDecidePolicies: false })).toEqual([
      { allowed: false, code: "insufficient_scope" },
    ]);
    // A stricter policy supersedes what waited.
    await put(1);
    expect((await book.inbox()).policyProposals).toEqual({ data: [], count: 0, hasMore: false });
  });
});
