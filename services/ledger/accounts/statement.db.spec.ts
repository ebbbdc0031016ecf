import { describe, expect, it } from "vitest";
import { type LedgerAccountId, newId } from "../../../contracts/ids/ids.ts";
import { GetStatement } from "../../../contracts/messages/ledger.ts";
import { postingOf } from "../../../test/ledger/commands.ts";
import { writeAt } from "../../../test/ledger/rows/past.ts";
import { codeOf, requestBy, Tenant } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile, someCursor } from "../../../test/ledger/world.ts";
import { beginBook, openAccount } from "../../../test/ledger/rows/written.ts";
import { decodeCursor, encodeCursor } from "../../platform/persistence/page.ts";
import { QueryStatement } from "./query-statement.handler.ts";

const { units } = await openLedgerOfFile();
const reading = new QueryStatement(units.database, someCursor);

/** A new book whose account Savings receives money: recorded at, effective at, cents. */
async function savingsWith(...received: readonly (readonly [string, string, number])[]) {
  const tenant = new Tenant(units);
  const { sql } = units.database;
  await beginBook(sql, { book: tenant.book, tenantId: tenant.id });
  const payroll = await openAccount(sql, tenant.book, { name: "Payroll" });
  const savings = await openAccount(sql, tenant.book, { name: "Savings" });
  const receive = async (recordedAt: string, effectiveAt: string, cents: number) => {
    const posting = postingOf([payroll, "Debit", cents], [savings, "Credit", cents]);
    await writeAt(units, tenant.book, recordedAt, [{ ...posting, effectiveAt }]);
  };
  for (const one of received) await receive(...one);
  return { tenant, payroll, savings, receive };
}

const statementOf = (tenant: Tenant, ledgerAccountId: string, query: object) =>
  reading.get(
    GetStatement.data.parse({ ledgerAccountId, query: { limit: 25, ...query } }),
    requestBy(tenant.id),
  );

type Lines = Awaited<ReturnType<typeof statementOf>>["data"];
const shown = (data: Lines) =>
  data.map(({ effectiveDate, amountCents, balanceCents }) => [effectiveDate, amountCents, balanceCents]);

/** All pages, each of `limit` lines; `between` runs after the first one. */
async function paged(
  tenant: Tenant,
  account: LedgerAccountId,
  query: { from: string; to: string; limit: number },
  between: () => Promise<void> = () => Promise.resolve(),
) {
  const first = await statementOf(tenant, account, query);
  await between();
  const pages = [first];
  for (let { nextCursor } = first; nextCursor !== null; nextCursor = pages.at(-1)!.nextCursor) {
    pages.push(await statementOf(tenant, account, { ...query, cursor: nextCursor }));
  }
  return pages;
}

const fiveDays = [
  ["2026-03-06T12:00:00Z", "2026-03-06T12:00:00Z", 1_000],
  // 22:00 in New York, on the day before.
  ["2026-03-07T03:00:00Z", "2026-03-07T03:00:00Z", 200],
  ["2026-03-07T15:00:00Z", "2026-03-05T15:00:00Z", 30],
  ["2026-03-08T15:00:00Z", "2026-03-07T15:00:00Z", 5_000],
  ["2026-03-08T16:00:00Z", "2026-03-08T16:00:00Z", 4],
] as const;

describe("a statement", () => {
  it("lists what counts for its days in New York, with the balance after each line", async () => {
    const { tenant, savings, payroll } = await savingsWith(...fiveDays);
    const statement = await statementOf(tenant, savings, { from: "2026-03-06", to: "2026-03-07" });
    expect(statement).toMatchObject({
      ledgerAccountId: savings,
      ledgerAccountName: "Savings",
      openingBalanceCents: 30,
      closingBalanceCents: 6_230,
      hasMore: false,
    });
    expect(shown(statement.data)).toEqual([
      ["2026-03-06", 1_000, 1_030],
      ["2026-03-06", 200, 1_230],
      ["2026-03-07", 5_000, 6_230],
    ]);
    const paying = await statementOf(tenant, payroll, { from: "2026-03-08", to: "2026-03-08" });
    expect([paying.openingBalanceCents, paying.closingBalanceCents]).toEqual([-6_230, -6_234]);
    expect(paying.data).toMatchObject([{ direction: "Debit", amountCents: 4, balanceCents: -6_234 }]);
  });

  it("opens and closes with the balances by effective day, and shows nothing on a day without entries", async () => {
    const { tenant, savings } = await savingsWith(...fiveDays);
    for (const [from, before, to] of [
      ["2026-03-05", "2026-03-04", "2026-03-05"],
      ["2026-03-07", "2026-03-06", "2026-03-31"],
      ["2027-01-01", "2026-12-31", "2027-01-01"],
    ] as const) {
      const { openingBalanceCents, closingBalanceCents } = await statementOf(tenant, savings, { from, to });
      const at = async (effectiveAsOf: string) =>
        (await tenant.reading.get({ id: savings, effectiveAsOf }, requestBy(tenant.id))).postedBalanceCents;
      expect([openingBalanceCents, closingBalanceCents]).toEqual([await at(before), await at(to)]);
    }
    expect((await statementOf(tenant, savings, { from: "2027-01-01", to: "2027-01-01" })).data).toEqual([]);
    expect((await statementOf(tenant, savings, { from: "0001-01-01", to: "9999-12-31" })).data).toHaveLength(
      5,
    );
  });

  it("has the same lines in pages of any length", async () => {
    const { tenant, savings } = await savingsWith(...fiveDays);
    for (const limit of [1, 2, 3, 5]) {
      const pages = await paged(tenant, savings, { from: "2026-03-05", to: "2026-03-08", limit });
      expect(pages.flatMap(({ data }) => shown(data))).toEqual([
        ["2026-03-05", 30, 30],
        ["2026-03-06", 1_000, 1_030],
        ["2026-03-06", 200, 1_230],
        ["2026-03-07", 5_000, 6_230],
        ["2026-03-08", 4, 6_234],
      ]);
    }
  });

  it("is of one moment: what is posted between two pages is in the next statement", async () => {
    const { tenant, savings, receive } = await savingsWith(...fiveDays);
    const days = { from: "2026-03-06", to: "2026-03-09", limit: 2 };
    const pages = await paged(tenant, savings, days, async () => {
      await receive("2026-03-09T12:00:00Z", "2026-03-01T12:00:00Z", 7);
      await receive("2026-03-09T13:00:00Z", "2026-03-07T16:00:00Z", 70);
      await receive("2026-03-09T14:00:00Z", "2026-03-09T14:00:00Z", 700);
    });
    expect(pages.map((page) => [page.openingBalanceCents, page.closingBalanceCents])).toEqual([
      [30, 6_234],
      [30, 6_234],
    ]);
    expect(pages.flatMap(({ data }) => shown(data)).at(-1)).toEqual(["2026-03-08", 4, 6_234]);
    const [next] = await paged(tenant, savings, { ...days, limit: 25 });
    expect([next!.openingBalanceCents, next!.closingBalanceCents]).toEqual([37, 7_011]);
    expect(next!.data).toHaveLength(6);
  });

  it("of another tenant's account is not found, and a cursor that is not its own is refused", async () => {
    const { tenant, savings, payroll } = await savingsWith(...fiveDays);
    const days = { from: "2026-03-05", to: "2026-03-08" };
    expect(await codeOf(statementOf(new Tenant(units), savings, days))).toBe("not_found");
    expect(await codeOf(statementOf(tenant, newId("la"), days))).toBe("not_found");
    const { nextCursor: cursor } = await statementOf(tenant, savings, { ...days, limit: 1 });
    expect(await codeOf(statementOf(tenant, payroll, { ...days, cursor }))).toBe("cursor_filter_mismatch");
    const asked = { ...days, ledgerAccountId: savings, list: "statement" };
    for (const forged of ["7", "1 0 0 0 0 2026-02-31 1", "1 0 0 0 0 2026-02-28 1; drop table entry"]) {
      const own = { ...days, cursor: encodeCursor(forged, asked) };
      expect(await codeOf(statementOf(tenant, savings, own))).toBe("invalid_cursor");
    }
  });

  it("shows no balances but the account's: a changed cursor, or that of another statement, is refused", async () => {
    const { tenant, savings, payroll } = await savingsWith(...fiveDays);
    const days = { from: "2026-03-05", to: "2026-03-08" };
    const search = (query: object, ledgerAccountId: string) => ({
      ...query,
      ledgerAccountId,
      list: "statement",
    });
    const positionIn = (cursor: string | null) => decodeCursor(cursor ?? "", search(days, savings));
    const page = await statementOf(tenant, savings, { ...days, limit: 1 });
    const position = positionIn(page.nextCursor);
    const [pinned = "", opening = "", closing = "", ...rest] = position.split(" ");
    expect([opening, closing]).toEqual(["0", "6234"]);
    const ofPayroll = await statementOf(tenant, payroll, { ...days, limit: 1 });
    const shorter = { ...days, to: "2026-03-07" };
    const ofFewerDays = await statementOf(tenant, savings, { ...shorter, limit: 1 });
    for (const forged of [
      [pinned, opening, "9900000000", ...rest].join(" "),
      [pinned, "9900000000", closing, ...rest].join(" "),
      position.slice(0, position.lastIndexOf(" ")),
      decodeCursor(ofPayroll.nextCursor ?? "", search(days, payroll)),
      decodeCursor(ofFewerDays.nextCursor ?? "", search(shorter, savings)),
    ]) {
      const cursor = encodeCursor(forged, search(days, savings));
      expect(await codeOf(statementOf(tenant, savings, { ...days, cursor }))).toBe("invalid_cursor");
    }
  });

  it("shows what a line is for: the reversal's reason, and the transaction's description and reference", async () => {
    const { tenant, savings } = await Tenant.withAccounts(units);
    const paid = [
      ["Payroll", "Debit", 5],
      ["Savings", "Credit", 5],
    ] as const;
    const { id } = await tenant.moves(paid, { description: "Rent", externalId: "=1+1" });
    await tenant.reverses(id, "Paid twice");
    const { data } = await statementOf(tenant, savings, { from: "2026-01-01", to: "2099-12-31" });
    expect(data).toMatchObject([
      { kind: "Post", description: "Rent", externalId: "=1+1", transactionId: id, balanceCents: 5 },
      { kind: "Reverse", description: "Paid twice", externalId: "=1+1", transactionId: id, balanceCents: 0 },
    ]);
  });
});
