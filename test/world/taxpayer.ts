/** A tenant's obligations: created, fixed, and remitted from one account. */
import type { Obligation, ObligationWithHistory, Problem } from "../../clients/typescript/types.gen.ts";
import type { Answer } from "../../scripts/local/demo/api.ts";
import type { PartName } from "../../scripts/local/demo/seed.ts";
import { patienceMs, until } from "../stack/until.ts";
import {
  amendObligation,
  answerOf,
  bodyOf,
  createCounterparty,
  createObligation,
  fixObligation,
  getLedgerAccount,
  getObligation,
  remitObligation,
  updateObligation,
  verifyCounterparty,
} from "./client.ts";
import type { Payer } from "./payer.ts";
import type { World } from "./world.ts";

export type ObligationOrProblem = ObligationWithHistory & Pick<Problem, "code" | "detail">;
type Rail = "Ach" | "SameDayAch" | "Rtp" | "Wire";

export function line(
  description: string,
  amountCents: number,
  kind: "Actual" | "Demo" | "Missing" = "Actual",
) {
  return { description, amountCents, basis: { kind, source: "Trip sheets of 2026-Q1" } };
}

export class Taxpayer {
  readonly #world: World;
  readonly payer: Payer;

  constructor(world: World, payer: Payer) {
    this.#world = world;
    this.payer = payer;
  }

  /** A counterparty at that account, magic or not, verified by somebody else than its maker. */
  async payee(accountNumber = "000123456789", verified = true): Promise<string> {
    const rails = ["Ach", "SameDayAch", "Rtp", "Wire"] as const;
    const accounts = rails.map((rail) => ({ rail, accountNumber, routingNumber: "790001005" }));
    const body = { name: "Oregon DOT", type: "Business" as const, accounts };
    const { id } = await bodyOf(createCounterparty({ client: this.#world.client(), body }));
    if (verified) await this.verifies(id);
    return id;
  }

  async verifies(counterpartyId: string): Promise<void> {
    await bodyOf(
      verifyCounterparty({ client: this.#world.client("admin"), path: { id: counterpartyId }, body: {} }),
    );
  }

  /** A fuel tax return, Open. */
  opens(amountCents: number, payeeCounterpartyId: string, lines = [line("Diesel, Oregon", amountCents)]) {
    const body = {
      type: "FuelTaxReturn" as const,
      reference: "IFTA 2026-Q1",
      jurisdiction: "US-OR",
      period: "2026-Q1",
      payeeCounterpartyId,
      lines,
    };
    return bodyOf(createObligation({ client: this.#world.client(), body }));
  }

  /** An obligation without a payee, Open. */
  records(reference: string, more: { type?: Obligation["type"]; lines?: ReturnType<typeof line>[] } = {}) {
    const body = {
      type: "FuelTaxReturn" as const,
      reference,
      lines: [line("Diesel, Oregon", 12_500)],
      ...more,
    };
    return bodyOf(createObligation({ client: this.#world.client(), body }));
  }

  /** A fuel tax return, Fixed. */
  async owes(amountCents: number, payeeCounterpartyId: string): Promise<ObligationWithHistory> {
    const { id } = await this.opens(amountCents, payeeCounterpartyId);
    return (await this.fixes(id)).body;
  }

  fixes(id: string): Promise<Answer<ObligationOrProblem>> {
    return obligationAnswer(fixObligation({ client: this.#world.client(), path: { id }, body: {} }));
  }

  amends(id: string, lines: ReturnType<typeof line>[]): Promise<Answer<ObligationOrProblem>> {
    return obligationAnswer(amendObligation({ client: this.#world.client(), path: { id }, body: { lines } }));
  }

  names(id: string, payeeCounterpartyId: string): Promise<Answer<ObligationOrProblem>> {
    return obligationAnswer(
      updateObligation({ client: this.#world.client(), path: { id }, body: { payeeCounterpartyId } }),
    );
  }

  remits(
    id: string,
    { rail = "Rtp", as = "maker", key }: { rail?: Rail; as?: PartName; key?: string } = {},
  ): Promise<Answer<ObligationOrProblem>> {
    return obligationAnswer(
      remitObligation({
        client: this.#world.client(as),
        path: { id },
        body: { rail, fundingLedgerAccountId: this.payer.accountId },
        ...(key === undefined ? {} : { headers: { "Idempotency-Key": key } }),
      }),
    );
  }

  /** Remits it and returns the order's id. Throws if it is refused. */
  async pays(id: string, rail: Rail = "Rtp"): Promise<string> {
    const { body } = await this.remits(id, { rail });
    if (body.paymentOrderId === null || body.paymentOrderId === undefined) {
      throw new Error(`not remitted: ${JSON.stringify(body)}`);
    }
    return body.paymentOrderId;
  }

  reads(id: string): Promise<ObligationWithHistory> {
    return bodyOf(getObligation({ client: this.#world.client(), path: { id } }));
  }

  /** Waits until it has that status. */
  becomes(id: string, status: Obligation["status"], withinMs = patienceMs): Promise<ObligationWithHistory> {
    return until(
      `obligation ${id} is ${status}`,
      async () => {
        const obligation = await this.reads(id);
        return obligation.status === status ? obligation : undefined;
      },
      withinMs,
    );
  }

  /** The posted balance of the liability account, in cents. */
  async liability({ liabilityLedgerAccountId: id }: ObligationWithHistory): Promise<number> {
    const account = await bodyOf(getLedgerAccount({ client: this.#world.client(), path: { id: id ?? "" } }));
    return account.postedBalanceCents;
  }
}

function obligationAnswer(result: Parameters<typeof answerOf<ObligationWithHistory>>[0]) {
  return answerOf(result) as Promise<Answer<ObligationOrProblem>>;
}
