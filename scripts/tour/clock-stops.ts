/** The stops on a Manual clock: a missed cutoff, an early and a late return, a time-out, a notice of change. */
import type { Clock, ClockAdvance } from "../../contracts/http/sandbox/clock.ts";
import type { Counterparty } from "../../contracts/http/payments/counterparties.ts";
import type { LedgerAccount, LedgerEntry } from "../../contracts/http/ledger/ledger-accounts.ts";
import type { PaymentOrder } from "../../contracts/http/payments/payment-orders.ts";
import { addBankingDays, addDays, localTime, newYorkDate } from "../../contracts/rails/banking-calendar.ts";
import { expectThat, type Guide, TourMismatch } from "./guide.ts";
import { verifiedCounterparty } from "./orders.ts";

export const clockPath = "/v1/simulations/clock";
/** Friday; Washington's birthday is on Monday. */
const firstFriday = "2027-02-12";

const bank = {
  counterpartyName: "Ada Example",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "790001005",
};

/** A bank may return a debit that its customer did not authorise for 60 days after the settlement. */
const daysOfR10 = 65;

/** The book of the guide is moved months on, and never back: the next tour begins where this one ends. */
export async function throughTime(guide: Guide): Promise<void> {
  await standOnAFriday(guide);
  const account = await guide.send<LedgerAccount>(
    "maker",
    { method: "POST", path: "/v1/ledger-accounts", body: { name: `Clock ${new Date().toISOString()}` } },
    { status: 201, show: ["id", "name"] },
  );
  const from = { ...bank, direction: "Credit", ledgerAccountId: account.body.id } as const;
  await aMissedCutoff(guide, { ...from, rail: "Wire", amountCents: 180_000 });
  await returnedBeforeSettlement(guide, { ...from, rail: "Ach", direction: "Debit", amountCents: 45_000 });
  await timesOut(guide, { ...from, rail: "Rtp", amountCents: 4_250 });
  await aNoticeOfChange(guide, { ...from, rail: "Ach", amountCents: 12_500 });
  await returnedLate(guide, { ...from, rail: "Ach", direction: "Debit", amountCents: 30_000 });
}

type Payee = typeof bank | { readonly counterpartyId: string };

interface Payment {
  readonly direction: "Credit" | "Debit";
  readonly rail: string;
  readonly amountCents: number;
  readonly ledgerAccountId: string;
}
type Terms = typeof bank & Payment;

async function standOnAFriday(guide: Guide): Promise<void> {
  const { body: clock } = await guide.look<Clock>(clockPath);
  const friday = fridayBeforeHoliday(new Date(clock.now));
  const closingTime = localTime(friday, "17:00").toISOString();
  await guide.step(
    `A book whose clock stands still: Friday, ${friday}, 17:00 in New York; Monday is a holiday`,
  );
  if (clock.mode === "Manual") return void (await advance(guide, { to: closingTime }));
  await guide.send(
    "maker",
    { method: "PUT", path: clockPath, body: { mode: "Manual", startAt: closingTime } },
    { status: 200, show: ["mode", "now"] },
  );
}

/** The first Friday from `now` on, but not before `firstFriday`, that banks work on and whose Monday they don't. */
function fridayBeforeHoliday(now: Date): string {
  const today = newYorkDate(now);
  let friday = firstFriday;
  while (friday <= today || addBankingDays(friday, 0) !== friday || !beginsLongWeekend(friday)) {
    friday = addDays(friday, 7);
  }
  return friday;
}

const beginsLongWeekend = (friday: string) => addBankingDays(friday, 1) === addDays(friday, 4);

async function aMissedCutoff(guide: Guide, terms: Terms): Promise<void> {
  await guide.step(
    "Missed cutoff: a wire of Friday 17:00 leaves when Tuesday's cycle opens, on Monday at 21:00",
  );
  const id = await create(guide, terms);
  await approveTwice(guide, id);
  const path = `/v1/payment-orders/${id}`;
  const waiting = await guide.lookUntil<PaymentOrder>(path, ({ awaiting }) => awaiting === "Window");
  const { missed, reason, nextWindowOpensAt } = waiting.cutoff ?? {};
  guide.say(
    `cutoff: missed ${String(missed)}, ${reason ?? ""}, the next window opens at ${nextWindowOpensAt ?? ""}`,
  );
  const opened = await advance(guide, { nextWindow: "Wire" });
  expectThat(opened.now === nextWindowOpensAt, `the window opened at ${opened.now}`);
  const { body: left } = await guide.look<PaymentOrder>(path);
  expectThat(left.status === "Processing", `the wire is ${left.status}`);
  await advanceUntil(guide, id, ({ status }) => status === "Completed");
  await guide.moved(terms.ledgerAccountId);
}

async function timesOut(guide: Guide, terms: Terms): Promise<void> {
  await guide.step("Time-out: the rail says nothing until it is asked, and the payment settles once");
  const id = await create(guide, { ...terms, counterpartyAccountNumber: "400000" });
  const path = `/v1/payment-orders/${id}`;
  await guide.lookUntil<PaymentOrder>(path, ({ status }) => status === "Processing");
  await advanceUntil(guide, id, ({ status }) => status === "Completed");
  await guide.moved(terms.ledgerAccountId);
  const entries = `/v1/ledger-accounts/${terms.ledgerAccountId}/entries?limit=100`;
  const { body } = await guide.look<LedgerEntry[]>(entries);
  const settlements = body.filter(
    ({ paymentOrderId, status }) => paymentOrderId === id && status === "Posted",
  );
  expectThat(settlements.length === 1, `the payment has ${String(settlements.length)} settlements`);
}

async function returnedBeforeSettlement(guide: Guide, terms: Terms): Promise<void> {
  await guide.step(
    "Returned before settlement: the payer's account has no funds (R01), and nothing is posted",
  );
  const id = await create(guide, { ...terms, counterpartyAccountNumber: "100001" });
  await advanceUntil(guide, id, ({ status }) => status === "Returned");
  await guide.moved(terms.ledgerAccountId);
}

async function aNoticeOfChange(guide: Guide, terms: Terms): Promise<void> {
  await guide.step(
    "Notice of change: the supplier's bank corrects its routing number (C02), and somebody accepts it",
  );
  const { counterpartyName: name, counterpartyAccountNumber, counterpartyRoutingNumber, ...rest } = terms;
  const account = {
    rail: "Ach",
    accountNumber: counterpartyAccountNumber,
    routingNumber: counterpartyRoutingNumber,
  };
  const body = { name, type: "Business", accounts: [account] };
  const counterpartyId = await verifiedCounterparty(guide, body);
  const id = await create(guide, { ...rest, counterpartyId });
  await guide.send(
    "maker",
    {
      method: "POST",
      path: `/v1/simulations/payment-orders/${id}/notify-of-change`,
      body: { code: "C02", correctedData: { routingNumber: "790001102" } },
    },
    { status: 200, show: ["action", "code", "effect"] },
  );
  const { noticesOfChange } = await advanceUntil(guide, id, (seen) => seen.noticesOfChange.length > 0);
  const change = noticesOfChange[0]?.proposedChangeId ?? "";
  await guide.send(
    "maker",
    { method: "POST", path: `/v1/counterparties/${counterpartyId}/proposed-changes/${change}/accept` },
    { status: 200, show: ["id", "verificationStatus"] },
  );
  const { body: corrected } = await guide.look<Counterparty>(`/v1/counterparties/${counterpartyId}`);
  guide.say(
    `the counterparty: ${corrected.accounts[0]?.routingNumber ?? ""}, ${corrected.verificationStatus}`,
  );
}

async function returnedLate(guide: Guide, terms: Terms): Promise<void> {
  await guide.step("Late return: the payer says that they did not agree (R10), after completion");
  const id = await create(guide, { ...terms, counterpartyAccountNumber: "200010" });
  await advanceUntil(guide, id, ({ status }) => status === "Completed");
  await guide.moved(terms.ledgerAccountId);
  const { body: clock } = await guide.look<Clock>(clockPath);
  await advance(guide, { to: new Date(Date.parse(clock.now) + daysOfR10 * 86_400_000).toISOString() });
  const order = await guide.lookUntil<PaymentOrder>(
    `/v1/payment-orders/${id}`,
    (seen) => seen.return !== null,
  );
  guide.say(
    `return: ${order.return?.code ?? ""} at ${order.returnedAt ?? ""}, late ${String(order.return?.late)}`,
  );
  await guide.moved(terms.ledgerAccountId);
}

async function create(guide: Guide, terms: Payee & Payment): Promise<string> {
  const request = { method: "POST", path: "/v1/payment-orders", body: terms } as const;
  const show = ["id", "status", "expectedSettlementDate"];
  return (await guide.send<PaymentOrder>("maker", request, { status: 201, show })).body.id;
}

async function approveTwice(guide: Guide, id: string): Promise<void> {
  const path = `/v1/payment-orders/${id}`;
  await guide.lookUntil<PaymentOrder>(path, ({ status }) => status === "Pending");
  for (const approver of ["approver1", "approver2"] as const)
    await guide.send(
      approver,
      { method: "POST", path: `${path}/approve` },
      { status: 200, show: ["status", "approval"] },
    );
}

/** Moves the clock, and waits until everything due up to then has happened. */
export async function advance(guide: Guide, target: object): Promise<ClockAdvance> {
  const { body } = await guide.send<ClockAdvance>(
    "maker",
    { method: "POST", path: `${clockPath}/advance`, body: target, headers: { Prefer: "wait=10" } },
    { status: 202, show: ["status", "now", "steps"] },
  );
  const ended = await guide.lookUntil<ClockAdvance>(
    `${clockPath}/advances/${body.id}`,
    ({ status }) => status !== "Running",
  );
  expectThat(ended.status === "Done", `the advance is stuck: ${ended.waitingFor ?? ""}`);
  return ended;
}

const maxAdvances = 10;

/** Advances from banking day to banking day until the order is there, and prints its way in the book's time. */
async function advanceUntil(
  guide: Guide,
  id: string,
  there: (order: PaymentOrder) => boolean,
): Promise<PaymentOrder> {
  for (let count = 1; count <= maxAdvances; count += 1) {
    await advance(guide, { nextBankingDay: true });
    const { body: order } = await guide.look<PaymentOrder>(`/v1/payment-orders/${id}`);
    if (!there(order)) continue;
    guide.say(`way:   ${order.statusHistory.map(({ to, at }) => `${to} ${at}`).join(" → ")}`);
    return order;
  }
  throw new TourMismatch(`the order ${id} is not there after ${String(maxAdvances)} banking days`);
}
