import type { Rail } from "../../../contracts/rails/rails.ts";
import type { OwnWorld } from "../../world/system/own-world.ts";
import { begin, dayMs, SimulatedBook, type SimulatedPayment } from "./simulated-book.ts";

const ordersPerDay = 50;
/** So long after the last payment, every return has come and every order has ended. */
const afterwardsDays = 75;
const hourMs = 3_600_000;

const railsByTurns = ["Ach", "SameDayAch", "Rtp", "Wire", "Usdc", "Ach"] as const satisfies Rail[];
const corrected = { routingNumber: "790001102" };

/** Every fault, each on a share of a rail's payments. */
const rules = [
  { match: { rail: "Ach" }, fault: "Return", code: "R03", share: 0.05 },
  { match: { rail: "Ach" }, fault: "LateReturn", share: 0.05 },
  { match: { rail: "Ach" }, fault: "DuplicateFacts", share: 0.1 },
  { match: { rail: "Ach" }, fault: "OutOfOrder", share: 0.05 },
  { match: { rail: "Ach" }, fault: "NoticeOfChange", code: "C02", correctedData: corrected, share: 0.05 },
  { match: { rail: "Ach" }, fault: "UnmatchedReturn", share: 0.05 },
  { match: { rail: "SameDayAch" }, fault: "DuplicateReturn", share: 0.05 },
  { match: { rail: "SameDayAch" }, fault: "Delay", delaySeconds: 1_800, share: 0.1 },
  { match: { rail: "Rtp" }, fault: "Reject", code: "AC04", share: 0.1 },
  { match: { rail: "Rtp" }, fault: "Timeout", then: "Settle", share: 0.1 },
  { match: { rail: "Rtp" }, fault: "LostAcknowledgement", share: 0.1 },
  { match: { rail: "Wire" }, fault: "Timeout", then: "NeverArrived", share: 0.2 },
  { match: { rail: "Wire" }, fault: "Timeout", then: "Fail", share: 0.1 },
  { match: { rail: "Wire" }, fault: "SentBack", share: 0.1 },
  { match: { rail: "Usdc" }, fault: "Reject", share: 0.1 },
  { match: { rail: "Usdc" }, fault: "Outage", until: new Date(begin.getTime() + hourMs).toISOString() },
];

interface Play {
  readonly days: number;
  /** Runs while the clock advances over a day. */
  readonly whileAdvancing?: (day: number) => Promise<void>;
}

/** Plays payments on all rails every day, and then waits until the last returns have come. */
export async function playQuarter(
  world: OwnWorld,
  named: { readonly name: string; readonly seed: string },
  { days, whileAdvancing }: Play,
): Promise<SimulatedBook> {
  const book = await SimulatedBook.open(world, { ...named, rules });
  for (let day = 0; day < days; day += 1) {
    await book.pays(paymentsOf(day));
    await book.advanceTo(new Date(begin.getTime() + (day + 1) * dayMs), () =>
      whileAdvancing === undefined ? Promise.resolve() : whileAdvancing(day),
    );
  }
  await book.advanceTo(new Date(begin.getTime() + (days + afterwardsDays) * dayMs));
  return book;
}

export const orderCountOf = (days: number) => days * ordersPerDay;

function paymentsOf(day: number): SimulatedPayment[] {
  return Array.from({ length: ordersPerDay }, (_, index) => {
    const rail = railsByTurns[index % railsByTurns.length] ?? "Ach";
    return {
      externalId: `day ${String(day)}, payment ${String(index)}`,
      rail,
      direction: rail === "Ach" && index % 12 === 0 ? "Debit" : "Credit",
      amountCents: 100 + index,
    };
  });
}
