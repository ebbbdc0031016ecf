import { beforeEach, describe, expect, it } from "vitest";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { ApprovalPolicyChanged } from "../../../contracts/messages/orders.ts";
import { paid, refused, requestBy, Tenant } from "../../../test/ledger/requests.ts";
import { until } from "../../../test/stack/until.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { ApplyPolicy } from "./apply-policy.handler.ts";
import { PostVoidReverse } from "./post-void-reverse.handler.ts";
import { StorePolicy } from "./store-policy.consumer.ts";

let tenant: Tenant;
let payroll: string;
let savings: string;

const { units } = await openLedgerOfFile();
beforeEach(async () => {
  tenant = new Tenant(units);
  payroll = (await tenant.creates("Payroll")).id;
  savings = (await tenant.creates("Savings")).id;
});

const requires = { version: 1, approvalRequired: true, thresholdCents: 1_000 };
function as(principal: string): RequestContext {
  const request = requestBy(tenant.id);
  return { ...request, caller: { ...request.caller, principal } };
}
const applies = (policy: typeof requires) => new ApplyPolicy(units.units).apply(policy, as("admin"));
const continues = () => new PostVoidReverse(units.units);
const posts = (id: string, principal: string, mayApprove = true) =>
  continues().post({ id, mayApprove }, as(principal));
const reverses = (id: string, principal: string) =>
  continues().reverse({ id, description: "Charged twice" }, as(principal));
const pending = (cents: number) => tenant.moves(paid(payroll, savings, cents), { status: "Pending" });
const refusalBy = (act: () => Promise<unknown>) => tenant.refusalBy(act);

describe("a transaction above the threshold, where the policy requires approvals", () => {
  beforeEach(() => applies(requires));

  it("is created Pending only", async () => {
    expect(await refusalBy(() => tenant.moves(paid(payroll, savings, 1_001)))).toMatchObject({
      ...refused("approval_required"),
      errors: [{ pointer: "/status" }],
      context: { approvalThresholdCents: 1_000 },
    });
    const split = [
      [payroll, "Debit", 600],
      [payroll, "Debit", 600],
      [savings, "Credit", 1_200],
    ] as const;
    expect(await refusalBy(() => tenant.moves(split))).toMatchObject(refused("approval_required"));
    expect((await tenant.moves(paid(payroll, savings, 1_000))).status).toBe("Posted");
    expect((await pending(1_001)).status).toBe("Pending");
  });

  it("does not fail the others of its batch", async () => {
    const answers = await Promise.allSettled([
      tenant.moves(paid(payroll, savings, 1)),
      tenant.moves(paid(payroll, savings, 1_001)),
      tenant.moves(paid(payroll, savings, 2)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("is posted by a principal with orders:approve who did not create it, and by nobody else", async () => {
    const { id } = await pending(1_001);
    expect(await refusalBy(() => posts(id, "maker"))).toMatchObject(refused("self_approval_not_allowed"));
    expect(await refusalBy(() => posts(id, "m\u0430ker"))).toMatchObject(
      refused("self_approval_not_allowed"),
    );
    expect(await refusalBy(() => posts(id, "ben", false))).toMatchObject({
      ...refused("insufficient_scope"),
      context: { requiredScope: "orders:approve" },
    });
    expect(await posts(id, "ben")).toMatchObject({ id, status: "Posted" });
  });

  it("is reversed by nobody alone: the opposite entries are created Pending, and another principal posts them", async () => {
    const { id } = await pending(1_001);
    expect(await refusalBy(() => reverses(id, "cat"))).toMatchObject(refused("invalid_state_transition"));
    await posts(id, "ben");
    for (const principal of ["maker", "ben", "cat"]) {
      expect(await refusalBy(() => reverses(id, principal))).toMatchObject({
        ...refused("approval_required"),
        context: { approvalThresholdCents: 1_000 },
      });
    }
    const opposite = await tenant.moves(paid(savings, payroll, 1_001), { status: "Pending" });
    expect(await posts(opposite.id, "ben")).toMatchObject({ status: "Posted" });
  });

  it("says first what is wrong with the transaction itself", async () => {
    const { id } = await pending(1_001);
    await tenant.voids(id);
    expect(await refusalBy(() => posts(id, "maker"))).toMatchObject(refused("invalid_state_transition"));
  });

  it("can be voided by its creator alone, because nothing moves", async () => {
    const { id } = await pending(1_001);
    expect((await tenant.voids(id)).status).toBe("Voided");
  });

  it("needs an approval too if it was created before the policy required one", async () => {
    await applies({ ...requires, version: 2, approvalRequired: false });
    const { id } = await pending(1_001);
    await applies({ ...requires, version: 3 });
    expect(await refusalBy(() => posts(id, "maker"))).toMatchObject(refused("self_approval_not_allowed"));
  });
});

describe("a transaction up to the threshold, or where the policy requires nothing", () => {
  it("is created and posted by one principal", async () => {
    expect((await tenant.moves(paid(payroll, savings, 5_000))).status).toBe("Posted");
    await applies({ ...requires, approvalRequired: false });
    expect((await tenant.moves(paid(payroll, savings, 5_000))).status).toBe("Posted");
    await applies({ ...requires, version: 2 });
    const { id } = await pending(1_000);
    expect(await posts(id, "maker", false)).toMatchObject({ status: "Posted" });
  });
});

describe("the policy that the ledger enforces", () => {
  const published = (policy: typeof requires) =>
    units.units.run((unit) =>
      new StorePolicy().onChange(
        [createMessage(ApprovalPolicyChanged, { book: tenant.book, subject: tenant.book, data: policy })],
        unit,
      ),
    );

  it("is the one with the highest version, by whichever way and in whatever order it arrives", async () => {
    await published({ ...requires, version: 3 });
    await applies({ ...requires, version: 2, approvalRequired: false });
    await published({ ...requires, version: 1, approvalRequired: false });
    expect(await refusalBy(() => tenant.moves(paid(payroll, savings, 1_001)))).toMatchObject(
      refused("approval_required"),
    );
    await published({ ...requires, version: 4, approvalRequired: false });
    expect((await tenant.moves(paid(payroll, savings, 1_001))).status).toBe("Posted");
  });

  it("is that of the book", async () => {
    await published(requires);
    const other = new Tenant(units);
    const [from, to] = [(await other.creates("Payroll")).id, (await other.creates("Savings")).id];
    expect((await other.moves(paid(from, to, 1_001))).status).toBe("Posted");
    const unknown = idOf("lt", newUuid());
    expect(await refusalBy(() => posts(unknown, "ben"))).toMatchObject(refused("not_found"));
  });
});

it("a policy whose row another session has locked leaves connections for the requests of other books", async () => {
  await applies(requires);
  const [session, observer] = [await connectTo(units.adminUrl), await connectTo(units.adminUrl)];
  await session.query("begin");
  await session.query("select 1 from ledger.transaction_policy for update");
  const delayed = Array.from({ length: 15 }, (_, index) => applies({ ...requires, version: 1_000 + index }));
  const blocked =
    "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await until(async () => ((await observer.query(blocked)).rowCount ?? 0) >= 3);
  expect(await units.database.sql("select 1 as one")).toEqual([{ one: 1 }]);
  await Promise.all([session.end(), observer.end()]);
  await Promise.all(delayed);
});

describe("whoever may approve, and may not write", () => {
  const decides = (how: "post" | "void", id: string, principal: string) =>
    continues()[how]({ id, mayApprove: true, mayWrite: false }, as(principal));
  const needsWrite = { ...refused("insufficient_scope"), context: { requiredScope: "ledger:write" } };

  it.each([
    ["post", "Posted"],
    ["void", "Voided"],
  ] as const)("can %s what another principal has created, and nothing else", async (how, status) => {
    const { id } = await pending(900);
    for (const same of ["maker", "m\u0430ker"]) {
      expect(await refusalBy(() => decides(how, id, same))).toMatchObject(needsWrite);
    }
    expect(await decides(how, id, "noor")).toMatchObject({ id, status });
    expect(await refusalBy(() => decides(how, id, "noor"))).toMatchObject(
      refused("invalid_state_transition"),
    );
  });

  it("posts it above the threshold, too", async () => {
    await applies(requires);
    const { id } = await pending(1_001);
    expect(await decides("post", id, "noor")).toMatchObject({ id, status: "Posted" });
  });

  it("decides on nothing without orders:approve", async () => {
    const { id } = await pending(900);
    const other = { id, mayApprove: false, mayWrite: false };
    expect(await refusalBy(() => continues().void(other, as("noor")))).toMatchObject(needsWrite);
  });
});
