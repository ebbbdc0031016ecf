/**
 * Money arrives, obligations are paid and statements are compared while instances of the ledger die: everything happens
 * once.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { LedgerAccount } from "../../contracts/http/ledger/ledger-accounts.ts";
import type { ReconciliationReport } from "../../contracts/http/ledger/reconciliations.ts";
import type { Answer } from "../../scripts/local/demo/api.ts";
import type { Instance } from "../../scripts/local/system.ts";
import { until } from "../stack/until.ts";
import { aNumber, sendsTo } from "../world/inbound.ts";
import { Taxpayer } from "../world/taxpayer.ts";
import { usd } from "../world/usd.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { RandomFaults } from "./inject/random-faults.ts";
import { proveBooks } from "./evidence/prove.ts";
import { deadLetters } from "./inject/streams.ts";

interface Round {
  readonly inbounds: readonly { bankReference: string; amountCents: number; isOurs: boolean }[];
  readonly owed: readonly number[];
}

const funds = usd("500.00");
const strangeNumber = "000000000017";
const rounds = planRounds(2, RandomFaults.of("money-in-and-owed"));
const inbounds = rounds.flatMap((round) => round.inbounds);
const owed = rounds.flatMap((round) => round.owed);
let world: OwnWorld;
let taxpayer: Taxpayer;

beforeAll(async () => {
  world = await OwnWorld.start({ instances: 2 });
  taxpayer = new Taxpayer(world, await world.payerWith(funds));
  const { accountNumber } = await aNumber(world, taxpayer.payer.accountId);
  const [first, second] = rounds as [Round, Round];
  // First one of the two instances dies, then both.
  await goesThrough(first, accountNumber, [world.instanceOf("ledger")]);
  await goesThrough(second, accountNumber, world.instancesOf("ledger"));
  await until("all inbound payments", async () => (await inboundsTaken()) >= inbounds.length);
});
afterAll(() => world.stop());

function planRounds(count: number, random: RandomFaults): Round[] {
  return Array.from({ length: count }, (_, round) => ({
    inbounds: Array.from({ length: 20 }, (_one, index) => ({
      bankReference: `${round}-${index}`,
      amountCents: random.between(1, 90_000),
      isOurs: index % 5 > 0,
    })),
    owed: Array.from({ length: 3 }, () => random.between(1, 5_000)),
  }));
}

/** Repeats a request with its key until an instance answers it. */
function insists<T>(wanted: number, call: () => Promise<Answer<T>>): Promise<T> {
  const look = async () => {
    const { status, body } = await call();
    if (status === wanted) return body;
    const { retryable } = body as { retryable?: boolean };
    if (retryable === true) return undefined;
    throw new Error(`${String(status)} ${JSON.stringify(body)}`);
  };
  return until("an answer", look) as Promise<T>;
}

function reconciles(key: string): Promise<ReconciliationReport> {
  const headers = { "idempotency-key": key };
  return insists(201, () => world.post<ReconciliationReport>("/v1/reconciliations", {}, { headers }));
}

async function inboundsTaken(): Promise<number> {
  const [row] = await world.rows<{ count: number }>(
    "select count(*)::int as count from ledger.inbound_payment",
  );
  return row?.count ?? 0;
}

/** Sends a whole round at once. The instances die as soon as the ledger works on it, and others replace them. */
async function goesThrough({ inbounds, owed }: Round, number: string, dying: readonly Instance[]) {
  const payee = await taxpayer.payee();
  const obligations = await Promise.all(owed.map((cents) => taxpayer.owes(cents, payee)));
  const before = await inboundsTaken();
  const flow = Promise.all([
    ...inbounds.map(({ isOurs, amountCents, bankReference }) =>
      sendsTo(world, isOurs ? number : strangeNumber, amountCents, { bankReference }),
    ),
    ...obligations.map(({ id }) => insists(200, () => taxpayer.remits(id, { key: id }))),
    reconciles(`amid ${String(before)}`),
  ]);
  await until("the ledger books the round", async () => (await inboundsTaken()) > before);
  await Promise.all(dying.map((instance) => world.killAndReplace(instance)));
  await flow;
  for (const { id } of obligations) await taxpayer.becomes(id, "Relieved");
}

const sumOf = (cents: readonly number[]) => cents.reduce((sum, one) => sum + one, 0);
const centsThatCame = (ours: boolean) =>
  inbounds.filter(({ isOurs }) => isOurs === ours).map(({ amountCents }) => amountCents);
const cashAtTheEnd = funds + sumOf(centsThatCame(true)) + sumOf(centsThatCame(false)) - sumOf(owed);

it("books each inbound payment once, to its owner or to Suspense", async () => {
  const rows = await world.rows(
    `select status, count(*)::int as payments, count(distinct bank_reference)::int as references,
       sum(amount_cents)::int as cents
     from ledger.inbound_payment
     group by status
     order by status`,
  );
  const wanted = (status: string, cents: readonly number[]) => ({
    status,
    payments: cents.length,
    references: cents.length,
    cents: sumOf(cents),
  });
  expect(rows).toEqual([
    wanted("Attributed", centsThatCame(true)),
    wanted("Suspended", centsThatCame(false)),
  ]);
});

it("pays each obligation by one order", async () => {
  const rows = await world.rows(
    `select o.fixed_cents::int as cents, count(p.id)::int as orders, min(p.status) as status
     from ledger.obligation o
     left join orders.payment_order p on p.book_id = o.book_id and p.obligation_id = o.obligation_id
     group by o.book_id, o.obligation_id, o.fixed_cents
     order by o.fixed_cents`,
  );
  const wanted = owed.toSorted((a, b) => a - b);
  expect(rows).toEqual(wanted.map((cents) => ({ cents, orders: 1, status: "Completed" })));
  const { body } = await world.get<LedgerAccount>(`/v1/ledger-accounts/${taxpayer.payer.accountId}`);
  const cents = cashAtTheEnd - sumOf(centsThatCame(false));
  expect([body.postedBalanceCents, body.pendingBalanceCents]).toEqual([cents, 0]);
});

it("agrees with the bank to the cent, and matches each bank line once", async () => {
  expect(await reconciles("at the end")).toMatchObject({
    status: "Reconciled",
    closingBankBalanceCents: cashAtTheEnd,
    ledgerCashCents: cashAtTheEnd,
    differenceCents: 0,
    inTransit: [],
  });
  const runs = await world.rows<{ status: string; reasons: string[]; matched: number; unmatched: string[] }>(
    `select r.status, r.reasons, r.matched_count::int as matched,
       array(
         select concat_ws(' ', i.source, i.kind, i.reason, i.occurred_at, s.ends_at, r.as_of)
         from ledger.reconciliation_item i
         where i.book_id = r.book_id and i.run = r.run and not i.in_transit
       ) as unmatched
     from ledger.reconciliation r
     left join ledger.bank_statement s on s.book_id = r.book_id and s.number = r.statement_number
     order by r.run`,
  );
  // Payments that a dead instance had not booked yet were in transit, and never unmatched.
  const sound = { status: "Reconciled", reasons: [], unmatched: [] };
  expect(runs).toMatchObject(runs.map(() => sound));
  const [bank] = await world.rows("select count(*)::int as lines from ledger.bank_line");
  const lines = 1 + inbounds.length + owed.length;
  expect([bank, runs.reduce((sum, { matched }) => sum + matched, 0)]).toEqual([{ lines }, lines]);
});

it("leaves sound books and no dead letter", async () => {
  await proveBooks(world);
  expect(await deadLetters(world)).toEqual([]);
});
