/** The orders that a tenant's backend will send and how each must end, decided before anything is sent. */
import type { LedgerAccount } from "../../../contracts/http/ledger/ledger-accounts.ts";
import type { OrderDirection, Rail } from "../../../contracts/rails/rails.ts";
import { sendPatiently } from "../../world/patience/patiently.ts";
import type { World } from "../../world/world.ts";
import type { RandomFaults } from "../inject/random-faults.ts";

/** How an order ends. `ReturnedLate` completes first; `Unfunded` never gets its hold. */
export type Ending = "Completed" | "Failed" | "Returned" | "ReturnedLate" | "Unfunded";

export interface PlannedOrder {
  /** Idempotency-Key and externalId. */
  readonly key: string;
  readonly accountId: string;
  readonly direction: OrderDirection;
  readonly rail: Rail;
  readonly amountCents: number;
  /** A magic number, the other account of a Book transfer, or undefined for the default counterparty. */
  readonly to?: string;
  readonly ending: Ending;
}

export interface Accounts {
  /** May be overdrawn, so that no order depends on another one. */
  readonly open: readonly LedgerAccount[];
  /** Always empty, and may not be overdrawn. */
  readonly penniless: LedgerAccount;
}

type Kind = Pick<PlannedOrder, "direction" | "rail" | "ending" | "to"> & { readonly weight: number };

const kinds: readonly Kind[] = [
  { weight: 24, rail: "Rtp", direction: "Credit", ending: "Completed" },
  { weight: 12, rail: "Ach", direction: "Credit", ending: "Completed" },
  { weight: 12, rail: "Ach", direction: "Debit", ending: "Completed" },
  { weight: 5, rail: "SameDayAch", direction: "Credit", ending: "Completed" },
  { weight: 4, rail: "SameDayAch", direction: "Debit", ending: "Completed" },
  { weight: 10, rail: "Book", direction: "Credit", ending: "Completed" },
  { weight: 4, rail: "Book", direction: "Debit", ending: "Completed" },
  { weight: 6, rail: "Usdc", direction: "Credit", ending: "Completed" },
  // Each needs two approvals.
  { weight: 3, rail: "Wire", direction: "Credit", ending: "Completed" },
  // The hand-off times out. The rail has settled it and reports that on an inquiry.
  { weight: 2, rail: "Rtp", direction: "Credit", to: "400000", ending: "Completed" },
  { weight: 4, rail: "Rtp", direction: "Credit", to: "300403", ending: "Failed" },
  { weight: 4, rail: "Ach", direction: "Debit", to: "100001", ending: "Returned" },
  { weight: 3, rail: "Ach", direction: "Credit", to: "100003", ending: "Returned" },
  { weight: 4, rail: "Ach", direction: "Debit", to: "200010", ending: "ReturnedLate" },
  { weight: 3, rail: "Rtp", direction: "Credit", ending: "Unfunded" },
];

export async function openAccounts(world: World): Promise<Accounts> {
  const { maker } = world.tenant.keys;
  const open = async (name: string, overdraft: "Allowed" | "Refused") => {
    const created = await sendPatiently<LedgerAccount>(world, maker, "POST", "/v1/ledger-accounts", {
      body: { name, overdraft },
    });
    if (created.status !== 201) throw new Error(`no account: ${JSON.stringify(created.body)}`);
    return created.body;
  };
  return {
    open: [
      await open("Operating", "Allowed"),
      await open("Payroll", "Allowed"),
      await open("Collections", "Allowed"),
      await open("Reserve", "Allowed"),
    ],
    penniless: await open("Penniless", "Refused"),
  };
}

/** Every kind occurs at least once if there are enough orders; the others are drawn by weight. */
export function planOrders(
  count: number,
  accounts: Accounts,
  random: RandomFaults,
  name = "order",
): PlannedOrder[] {
  const drawn = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  const mix = Array.from({ length: count }, (_, index) => kinds[index] ?? random.pick(drawn));
  return random.shuffled(mix).map((kind, index) => {
    const own = kind.ending === "Unfunded" ? accounts.penniless : random.pick(accounts.open);
    const other = random.pick(accounts.open.filter(({ id }) => id !== own.id));
    const to = kind.rail === "Book" ? other.id : kind.to;
    return {
      key: `${name}-${String(random.seed)}-${String(index)}`,
      accountId: own.id,
      direction: kind.direction,
      rail: kind.rail,
      amountCents: random.between(1, 900_000),
      ...(to === undefined ? {} : { to }),
      ending: kind.ending,
    };
  });
}
