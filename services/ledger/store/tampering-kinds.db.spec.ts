import { describe, expect, it } from "vitest";
import { type LedgerAccountId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  attackersOf,
  forged as forgedOn,
  movedBack,
  movedBetween,
  ordered,
  pending,
} from "../../../test/ledger/rows/forged.ts";
import { refusalOf, sqlOn, openLedgerOfFile } from "../../../test/ledger/world.ts";
import { chartAccountId } from "../book/chart-of-accounts.ts";
import { transactionOf } from "../book/commands.ts";
import type { Journal, JournalKind, Line } from "../book/journal.ts";
import {
  holdOf,
  pendingOf,
  postingOf,
  postPendingOf,
  reversalOf,
  sampleBook,
  settlementOf,
  suspensePostingOf,
} from "../../../test/ledger/commands.ts";
import { appendJournals } from "../../../test/ledger/rows/append-journals.ts";

// Journals that balance, with right running totals, but between accounts that their kind never uses; and journals that
// end a transaction that has ended or that they can't end, with exactly the opposite lines. Postgres refuses them by
// name, from the service's role and from a superuser.
const cash = chartAccountId(sampleBook, "SettlementCash");
const wallet = chartAccountId(sampleBook, "StablecoinWallet");
const suspense = chartAccountId(sampleBook, "Suspense");
const tax = chartAccountId(sampleBook, "FuelTaxExpense");

const world = await openLedgerOfFile();
const [payroll, savings, liability] = [
  await world.opens(),
  await world.opens(),
  await world.opens({ class: "ObligationLiability" }),
];
await world.writes(postingOf([payroll, "Debit", 1_000], [savings, "Credit", 1_000]));

const forged = (kind: JournalKind, lines: Line[], more: Partial<Journal> = {}) =>
  forgedOn(sqlOn(world.superuser), kind, lines, more);

const four = (more: Partial<Line> = {}) => [
  ...movedBetween(liability, cash, more),
  ...movedBetween(payroll, tax, more),
];
const notOfItsKind = "LG013 journal_accounts_of_its_kind";

describe.each(attackersOf(world))("%s can't append", (_who, client) => {
  const attack = (journal: Journal) => refusalOf(client, (sql) => appendJournals(sql, [journal]));

  it.each<[string, JournalKind, Line[], "of an order" | "of nobody"]>([
    ["an Inbound that takes it from a tenant", "Inbound", movedBetween(payroll, savings), "of nobody"],
    ["an Inbound that takes it back out", "Inbound", movedBetween(savings, cash), "of nobody"],
    ["an Inbound from the bank to the wallet", "Inbound", movedBetween(cash, wallet), "of nobody"],
    [
      "an Inbound to two accounts",
      "Inbound",
      [...movedBetween(cash, payroll), ...movedBetween(cash, savings)],
      "of nobody",
    ],
    ["an Assign out of a tenant's account", "Assign", movedBetween(payroll, savings), "of nobody"],
    ["an Assign of the bank's money", "Assign", movedBetween(cash, payroll), "of nobody"],
    ["an UnmatchedReturn to a tenant", "UnmatchedReturn", movedBetween(cash, payroll), "of nobody"],
    ["an UnmatchedReturn out of a tenant", "UnmatchedReturn", movedBetween(payroll, suspense), "of nobody"],
    ["an Assign out of Suspense to the bank", "Assign", movedBetween(suspense, cash), "of nobody"],
    ["an Accrue between tenants' accounts", "Accrue", movedBetween(payroll, savings), "of nobody"],
    ["an Accrue that a tenant pays", "Accrue", movedBetween(payroll, liability), "of nobody"],
    ["a Post by hand into Suspense", "Post", movedBetween(payroll, suspense), "of nobody"],
    ["a Post by hand that lets an expense go", "Post", movedBetween(payroll, tax), "of nobody"],
    ["a Post of an order that touches no Suspense", "Post", movedBetween(payroll, savings), "of an order"],
    ["a Hold by hand against the bank", "Hold", movedBetween(payroll, cash, pending), "of nobody"],
    ["a Hold of an order against an expense", "Hold", movedBetween(payroll, tax, pending), "of an order"],
    ["a Hold of an order between chart accounts", "Hold", movedBetween(cash, wallet, pending), "of an order"],
    [
      "a Hold of an order of four lines between tenants",
      "Hold",
      [...movedBetween(payroll, savings, pending), ...movedBetween(savings, payroll, pending)],
      "of an order",
    ],
    ["a remittance by hand", "Hold", four(pending), "of nobody"],
  ])("%s", async (_what, kind, lines, owner) => {
    const journal = await forged(kind, lines, owner === "of an order" ? ordered() : {});
    // Money that leaves the bank without a debtor violates the accounting equation first.
    expect(await attack(journal)).toMatch(
      kind === "Inbound" && lines[1]!.accountId === cash ? /^LG0(10|13) / : new RegExp(`^${notOfItsKind}$`),
    );
  });

  it("anything but the accounts of each kind: those journals are accepted", async () => {
    const lawful: [JournalKind, Line[], Partial<Journal>][] = [
      ["Inbound", movedBetween(cash, payroll), {}],
      ["Inbound", movedBetween(wallet, suspense), {}],
      ["Assign", movedBetween(suspense, savings), {}],
      // What a return took, charged to the account that bears it.
      ["Assign", movedBetween(savings, suspense), {}],
      ["UnmatchedReturn", movedBetween(cash, suspense), {}],
      ["UnmatchedReturn", movedBetween(suspense, cash), {}],
      ["Post", movedBetween(payroll, savings), {}],
      ["Post", movedBetween(suspense, cash), ordered()],
      ["Hold", movedBetween(payroll, savings, pending), {}],
      ["Hold", movedBetween(payroll, cash, pending), ordered()],
      ["Hold", movedBetween(wallet, payroll, pending), ordered()],
      ["Hold", four(pending), ordered()],
    ];
    for (const [kind, lines, more] of lawful) {
      const journal = await forged(kind, lines, more);
      const reverted = async () => {
        await client.query("begin");
        try {
          await appendJournals(sqlOn(client), [journal]);
          await client.query("set constraints all immediate");
        } finally {
          await client.query("rollback");
        }
      };
      await expect(
        reverted(),
        `${kind} ${JSON.stringify(lines.map(({ accountId }) => accountId))}`,
      ).resolves.toBe(undefined);
    }
  });

  it("an Accrue of the right accounts without a fixed obligation", async () => {
    for (const lines of [movedBetween(tax, liability), movedBetween(liability, tax)]) {
      expect(await attack(await forged("Accrue", lines))).toBe("LG040 obligation_fixed_as_accrued");
    }
  });

  const notItsMirror = "LG008 journal_resolution_exact";

  it("a Reverse of a Reverse", async () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    const reversal = await world.appends(posting, reversalOf(posting));
    const back = await forged("Reverse", movedBetween(payroll, savings), {
      transactionId: posting.transactionId,
      reverses: reversal,
    });
    expect(await attack(back)).toBe(notItsMirror);
  });

  it("a second Reverse, or a partial one", async () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    const sequence = (await world.appends(posting, reversalOf(posting))) - 1;
    const own = { transactionId: posting.transactionId, reverses: sequence };
    expect(await attack(await forged("Reverse", movedBetween(savings, payroll), own))).toMatch(
      /^23505 journal_one_reversal_\d$/,
    );
    const other = postingOf([payroll, "Debit", 50], [savings, "Credit", 50]);
    const reverses = await world.appends(other);
    const less = await forged("Reverse", movedBetween(savings, payroll), {
      transactionId: other.transactionId,
      reverses,
    });
    expect(await attack(less)).toBe(notItsMirror);
  });

  it("a Reverse of an order's Settle, which only a LateReturn can reverse", async () => {
    const order = newId("po");
    const reverses = await world.appends(holdOf(order, payroll, 5), settlementOf(order));
    const lines = movedBack(payroll, cash);
    expect(await attack(await forged("Reverse", lines, { ...ordered(order), reverses }))).toBe(notItsMirror);
    expect(await attack(await forged("LateReturn", lines, { ...ordered(newId("po")), reverses }))).toBe(
      notItsMirror,
    );
  });

  it("a LateReturn of a manual posting", async () => {
    const waiting = pendingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    const reverses = await world.appends(waiting, postPendingOf(waiting));
    const own = { transactionId: waiting.transactionId, reverses };
    expect(await attack(await forged("LateReturn", movedBack(payroll, savings), own))).toBe(notItsMirror);
  });

  it.each<[string, JournalKind, LedgerAccountId, LedgerAccountId]>([
    ["an Inbound", "Inbound", cash, payroll],
    ["an Accrue", "Accrue", tax, liability],
  ])("a Reverse of %s, which is no manual posting", async (_what, kind, debited, credited) => {
    const opening = await forged(kind, movedBetween(debited, credited));
    const refused = await refusalOf(client, async (sql) => {
      await appendJournals(sql, [opening]);
      const own = { transactionId: opening.transactionId, reverses: opening.sequence };
      await appendJournals(sql, [await forgedOn(sql, "Reverse", movedBack(debited, credited), own)]);
    });
    expect(refused).toBe(notItsMirror);
  });

  it("a Reverse of an order's posting to Suspense", async () => {
    const posting = suspensePostingOf(newId("po"), 5);
    const reverses = await world.appends(posting);
    const own = { transactionId: transactionOf(posting), reverses };
    expect(await attack(await forged("Reverse", movedBack(suspense, cash), own))).toBe(notItsMirror);
  });

  it("a resolution of no journal, of itself, or of a later one", async () => {
    const order = newId("po");
    const hold = await world.appends(holdOf(order, payroll, 5));
    const back = movedBetween(cash, payroll, { layer: "Pending", role: "Discharge" });
    const own = ordered(order);
    for (const [resolves, refused] of [
      [hold + 1_000, "23514 journal_refers_back"],
      [hold + 1, "23514 journal_refers_back"],
      [null, "23514 journal_resolves_a_hold"],
    ] as const) {
      expect(await attack(await forged("Release", back, { ...own, resolves }))).toBe(refused);
    }
    expect(await attack(await forged("Hold", back, { ...own, resolves: hold }))).toBe(
      "23514 journal_resolves_a_hold",
    );
    expect(await attack(await forged("Post", movedBetween(cash, payroll), { ...own, reverses: hold }))).toBe(
      "23514 journal_reverses_a_posting",
    );
  });

  it("a second opening of a transaction, of any kind", async () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    await world.appends(posting);
    const { transactionId } = posting;
    for (const [kind, lines] of [
      ["Post", movedBetween(payroll, savings)],
      ["Hold", movedBetween(payroll, savings, pending)],
      ["Inbound", movedBetween(cash, payroll)],
      ["Assign", movedBetween(suspense, payroll)],
      ["Accrue", movedBetween(tax, liability)],
    ] as const) {
      expect(await attack(await forged(kind, lines, { transactionId })), kind).toMatch(
        /^23505 journal_one_opening_\d$/,
      );
    }
  });

  it("a Discharge or Pending line in a posting", async () => {
    for (const more of [{ layer: "Pending" }, { layer: "Pending", role: "Discharge" }] as const) {
      const refused = await attack(await forged("Post", movedBetween(payroll, savings, more)));
      // Nothing is held, so more would be released than was held.
      expect(refused).toMatch(/^(LG008 journal_resolution_exact|23514 account_balance_released_is_held)$/);
    }
    expect(await attack(await forged("Post", movedBetween(payroll, savings, { role: "Discharge" })))).toBe(
      "23514 entry_discharge_is_pending",
    );
  });
});

it("the book is still proven after all of these, except for the liability that no obligation has", async () => {
  const detail = `account ${uuidOf(liability)}`;
  expect(await world.faults()).toEqual([{ check: "every liability has its obligation", detail }]);
});
