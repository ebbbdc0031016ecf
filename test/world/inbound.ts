/** Incoming payments to virtual accounts of the tenant. */
import type {
  InboundPayment,
  InboundSimulationResult,
} from "../../contracts/http/ledger/inbound-payments.ts";
import type { VirtualAccount, VirtualAccountCreate } from "../../contracts/http/ledger/virtual-accounts.ts";
import { until } from "../stack/until.ts";
import type { Payer } from "./payer.ts";
import type { World } from "./world.ts";

const simulations = "/v1/simulations/inbound-payments";

/** Creates a virtual account named Blue Freight. */
export function aNumber(world: World, ledgerAccountId: string, key?: string): Promise<VirtualAccount> {
  return aVirtualAccount(world, { name: "Blue Freight", ledgerAccountId }, key);
}

/** Creates a virtual account. */
export async function aVirtualAccount(
  world: World,
  body: VirtualAccountCreate,
  key?: string,
): Promise<VirtualAccount> {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  const made = await world.post<VirtualAccount>("/v1/virtual-accounts", body, { headers });
  if (made.status !== 201) throw new Error(`no virtual account: ${JSON.stringify(made.body)}`);
  return made.body;
}

/** Simulates an incoming payment, over Rtp by default. Returns the bank reference. */
export async function sendsTo(
  world: World,
  virtualAccountNumber: string,
  amountCents: number,
  { key = world.tenant.keys.maker, ...more }: { key?: string; [member: string]: unknown } = {},
): Promise<string> {
  const payment = {
    virtualAccountNumber,
    rail: "Rtp",
    amountCents,
    originatorName: "Blue Freight LLC",
    ...more,
  };
  const { status, body } = await world.send<InboundSimulationResult>(key, "POST", simulations, {
    body: payment,
  });
  if (status !== 201) throw new Error(`nothing was sent: ${JSON.stringify(body)}`);
  return body.bankReference;
}

/** Waits until the ledger has booked the payment with this reference. */
export function received(
  world: World,
  bankReference: string,
  key = world.tenant.keys.maker,
): Promise<InboundPayment> {
  const path = `/v1/inbound-payments?bankReference=${encodeURIComponent(bankReference)}`;
  return until(`the payment ${bankReference}`, async () => {
    return (await world.send<{ data: InboundPayment[] }>(key, "GET", path)).body.data[0];
  });
}

/**
 * Uses two numbers, one of them closed, in every way: paid to, collected from, refused, named by an order. Returns the
 * numbers and all responses except those that created them.
 */
export async function usedNumbers(
  world: World,
  payer: Payer,
  strange: string,
): Promise<{ numbers: string[]; answers: unknown[] }> {
  const open = await aNumber(world, payer.accountId, "number-open");
  const closed = await aNumber(world, payer.accountId, "number-closed");
  const once = { headers: { "idempotency-key": "closes" } };
  await world.post(`/v1/virtual-accounts/${closed.id}/close`, {}, once);
  const numbers = [open.accountNumber, closed.accountNumber];
  const answers: unknown[] = [];
  for (const [index, number] of [...numbers, strange].entries()) {
    const [credited, debited] = [`I${String(index)}`, `D${String(index)}`];
    await sendsTo(world, number, 100, { rail: "Ach", bankReference: credited });
    await sendsTo(world, number, 100, { rail: "Ach", direction: "Debit", bankReference: debited });
    const payment = { virtualAccountNumber: number, rail: "Ach", amountCents: 200, originatorName: "A" };
    answers.push((await world.post(simulations, { ...payment, bankReference: credited })).body);
    answers.push(await received(world, credited), await received(world, debited));
  }
  const other = await world.payerWith(100);
  for (const counterpartyAccountNumber of numbers) {
    const order = other.body(100, "Book", { counterpartyAccountNumber });
    const { body } = await world.post<{ id?: string }>("/v1/payment-orders", order);
    answers.push(body);
    if (body.id !== undefined) await world.comesToRest(body.id);
  }
  return { numbers, answers };
}
