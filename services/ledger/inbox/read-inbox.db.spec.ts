import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { InboundPayment } from "../../../contracts/http/ledger/inbound-payments.ts";
import { idOf, type LedgerAccountId, newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { holdOf } from "../../../test/ledger/commands.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";
import { paid } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import { guardsOff } from "../../../test/stack/database/guards-off.ts";
import { ApplyPolicy } from "../transactions/apply-policy.handler.ts";
import { PostVoidReverse } from "../transactions/post-void-reverse.handler.ts";
import { ReadInbox } from "./read-inbox.handler.ts";

const migration = readFileSync(
  new URL("../store/migrations/0027-waiting-transactions.sql", import.meta.url),
  "utf8",
);
const ledger = await openLedgerOfFile();
const { units, database } = ledger.units;
let acme: Depositor;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;
beforeEach(async () => {
  acme = await Depositor.of(ledger);
  payroll = (await acme.tenant.creates("Payroll")).id;
  savings = (await acme.tenant.creates("Savings")).id;
});

const as = (principal: string) => ({ ...acme.context, caller: { ...acme.context.caller, principal } });
const approver = { mayApprove: true, mayWrite: false };
const writer = { mayApprove: false, mayWrite: true };
const requiresApprovalAbove = (thresholdCents: number) =>
  new ApplyPolicy(units).apply({ version: 1, approvalRequired: true, thresholdCents }, acme.context);
const inboxOf = (principal = "noor", rights = approver) =>
  new ReadInbox(database).read(rights, as(principal));
const pending = (cents: number) => acme.tenant.moves(paid(payroll, savings, cents), { status: "Pending" });

async function proposed(): Promise<InboundPayment> {
  await requiresApprovalAbove(1_000);
  await acme.receives(acme.sent("12345678901234567", "W1"));
  return acme.assignsAs("maya", await acme.theOnlyOne(), "Savings");
}

/** The pending transactions after one statement: hold 1 and its release 2, in this order, and hold 3, which waits. */
async function listedAfter(...order: readonly number[]): Promise<string[]> {
  const kinds = { 1: "Hold", 2: "Release", 3: "Hold" } as Readonly<Record<number, string>>;
  const row = (seq: number) =>
    `('${book}', ${String(seq)}, gen_random_uuid(), gen_random_uuid(), ${seq === 2 ? "1" : "null"}, now(), now(),
      '${kinds[seq] ?? ""}', 2, sha256(''))`;
  const { superuser } = ledger;
  const book = newUuid();
  await superuser.query("begin");
  try {
    await superuser.query(guardsOff("ledger"));
    await superuser.query("alter table ledger.journal enable always trigger journal_lists_pending");
    await superuser.query(
      `insert into ledger.journal (book_id, seq, transaction_id, command_id, resolves_seq, effective_at, recorded_at,
         kind, line_count, digest)
       values ${order.map(row).join(", ")}`,
    );
    const { rows } = await superuser.query<{ seq: string }>(
      "select seq::text from ledger.pending_transaction where book_id = $1",
      [book],
    );
    return rows.map(({ seq }) => seq);
  } finally {
    await superuser.query("rollback");
  }
}

describe("the inbox of the ledger", () => {
  it("has the pending transactions and the proposed assignments of the book, newest first", async () => {
    const first = await pending(900);
    const second = await pending(700);
    const payment = await proposed();
    const { data, count, hasMore } = await inboxOf();
    expect({ count, hasMore }).toEqual({ count: 3, hasMore: false });
    expect(new Set(data.map(({ id }) => id))).toEqual(new Set([first.id, second.id, payment.id]));
    expect(data.map(({ proposedAt }) => proposedAt)).toEqual(
      data
        .map(({ proposedAt }) => proposedAt)
        .toSorted()
        .toReversed(),
    );
    const mine = { allowed: true, code: null };
    expect(data).toContainEqual({
      kind: "LedgerTransaction",
      id: first.id,
      amountCents: 900,
      currency: "USD",
      description: first.description,
      ledgerAccountId: null,
      href: `/v1/ledger-transactions/${first.id}`,
      proposedBy: "maker",
      proposedAt: first.createdAt,
      mine,
    });
    expect(data).toContainEqual({
      kind: "InboundAssignment",
      id: payment.id,
      amountCents: 120_000,
      currency: "USD",
      description: payment.originatorName,
      ledgerAccountId: savings,
      href: `/v1/inbound-payments/${payment.id}`,
      proposedBy: "maya",
      proposedAt: payment.proposedAssignment?.proposedAt,
      mine,
    });
  });

  it("says why a caller can't approve", async () => {
    await requiresApprovalAbove(500);
    await pending(900);
    const both = { mayApprove: true, mayWrite: true };
    const codeOf = async (principal: string, rights = approver) =>
      (await inboxOf(principal, rights)).data[0]?.mine.code;
    expect(await codeOf("maker", both)).toBe("self_approval_not_allowed");
    expect(await codeOf("maker")).toBe("insufficient_scope");
    expect(await codeOf("noor", writer)).toBe("insufficient_scope");
    expect(await codeOf("noor", both)).toBeNull();
  });

  it("says up to the threshold that whoever made a transaction can post it", async () => {
    await requiresApprovalAbove(500);
    await pending(500);
    const mine = async (principal: string, rights: typeof approver) =>
      (await inboxOf(principal, rights)).data[0]?.mine;
    expect(await mine("maker", writer)).toEqual({ allowed: true, code: null });
    expect(await mine("noor", writer)).toEqual({ allowed: true, code: null });
    expect(await mine("maker", approver)).toEqual({ allowed: false, code: "insufficient_scope" });
  });

  it("has nothing that is decided, none of other books, and no hold of an order", async () => {
    const [posted, voided] = [await pending(900), await pending(700)];
    const payment = await proposed();
    const continues = new PostVoidReverse(units);
    await acme.tenant.writes(holdOf(newId("po"), payroll, 7));
    await continues.post({ id: posted.id, ...approver }, as("noor"));
    await continues.void({ id: voided.id, ...approver }, as("noor"));
    await acme.assignsAs("noor", payment, "Savings");
    expect(await inboxOf()).toEqual({ data: [], count: 0, hasMore: false });
    const other = await Depositor.of(ledger);
    const [from, to] = [await other.tenant.creates("From"), await other.tenant.creates("To")];
    await other.tenant.moves(paid(from.id, to.id, 5), { status: "Pending" });
    expect(await inboxOf()).toEqual({ data: [], count: 0, hasMore: false });
  });

  it("has none whose hold is resolved by the same statement, in whichever order its rows come", async () => {
    expect(await listedAfter(1, 2, 3)).toEqual(["3"]);
    expect(await listedAfter(3, 2, 1)).toEqual(["3"]);
  });

  it("lists what waited before the table was made", async () => {
    const waiting = await pending(900);
    await new PostVoidReverse(units).void({ id: (await pending(700)).id }, as("maker"));
    const { superuser } = ledger;
    await superuser.query("begin");
    try {
      await superuser.query(
        `drop trigger journal_lists_pending on ledger.journal;
         drop function ledger.journal_lists_pending;
         drop table ledger.pending_transaction;
         drop index ledger.inbound_payment_proposed`,
      );
      await superuser.query(migration);
      const { rows } = await superuser.query<{ id: string }>(
        `select j.transaction_id as id
         from ledger.pending_transaction p
         join ledger.journal j using (book_id, seq)
         where p.book_id = $1`,
        [uuidOf(acme.tenant.book)],
      );
      expect(rows.map(({ id }) => idOf("lt", id))).toEqual([waiting.id]);
    } finally {
      await superuser.query("rollback");
    }
  });
});
