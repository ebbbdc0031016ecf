/** Sends payment orders over HTTP: in a closed loop, or at a constant rate that does not depend on the answers. */
import { randomUUID } from "node:crypto";
import { Pool } from "undici";
import { serveParent } from "../worker.ts";

export type ToPayer =
  | {
      readonly kind: "connect";
      readonly baseUrl: string;
      readonly key: string;
      readonly accountIds: readonly string[];
      readonly connections: number;
    }
  /** Send to another gateway from now on. */
  | { readonly kind: "move"; readonly baseUrl: string }
  /** Keep that many orders between POST and acknowledged webhook, until `halt`. */
  | { readonly kind: "flow"; readonly inFlight: number }
  /** This many orders have finished. */
  | { readonly kind: "credit"; readonly count: number }
  | { readonly kind: "halt" }
  /** Send at a constant rate for a while. */
  | { readonly kind: "pace"; readonly perSecond: number; readonly seconds: number };

/** One POST of a paced run. */
export interface Posted {
  readonly orderId: string;
  readonly createdAtMs: number;
  /** From the time when it was due to be sent until its response was read, so that waiting to be sent counts. */
  readonly tookMs: number;
}

export type FromPayer =
  | { readonly kind: "halted"; readonly accepted: number; readonly refused: readonly string[] }
  | { readonly kind: "paced"; readonly posted: readonly Posted[]; readonly refused: readonly string[] };

let pool: Pool | undefined;
let connections = 1;
let key = "";
let accountIds: readonly string[] = [];
let room = 0;
let flowing = false;
let unanswered = 0;
let accepted = 0;
let refused: string[] = [];
let onIdle: (() => void) | undefined;
let sequence = 0;

async function pay(): Promise<string | undefined> {
  if (pool === undefined) throw new Error("not connected");
  unanswered += 1;
  sequence += 1;
  try {
    const { statusCode, body } = await pool.request({
      method: "POST",
      path: "/v1/payment-orders",
      headers: { "x-api-key": key, "content-type": "application/json", "idempotency-key": randomUUID() },
      body: `{"direction":"Credit","rail":"Rtp","amountCents":${String(1_000 + (sequence % 1_000))},"ledgerAccountId":"${accountIds[sequence % accountIds.length] ?? ""}","counterpartyName":"Ada Example","counterpartyAccountNumber":"000123456789","counterpartyRoutingNumber":"790001005"}`,
    });
    const text = await body.text();
    if (statusCode === 201) {
      accepted += 1;
      return text;
    }
    refused.push(`${String(statusCode)} ${text.slice(0, 200)}`);
  } catch (error) {
    refused.push(String(error));
  } finally {
    unanswered -= 1;
    if (unanswered === 0) onIdle?.();
  }
  return undefined;
}

function fill(): void {
  // Stops after many refusals. Otherwise a service that refuses everything would get requests without end.
  while (flowing && room > 0 && refused.length < 100) {
    room -= 1;
    void pay();
  }
}

async function pace(perSecond: number, seconds: number): Promise<Posted[]> {
  const posted: Posted[] = [];
  const startedAt = performance.now();
  const all = Math.floor(perSecond * seconds);
  const send = async (dueAt: number) => {
    const text = await pay();
    const tookMs = performance.now() - dueAt;
    if (text === undefined) return;
    const { id, createdAt } = JSON.parse(text) as { id: string; createdAt: string };
    posted.push({ orderId: id, createdAtMs: Date.parse(createdAt), tookMs });
  };
  const sends: Promise<void>[] = [];
  while (sends.length < all) {
    const elapsed = performance.now() - startedAt;
    // The first request is due immediately.
    const dueNow = Math.min(all, 1 + Math.floor((elapsed * perSecond) / 1_000));
    while (sends.length < dueNow) sends.push(send(startedAt + (sends.length * 1_000) / perSecond));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(sends);
  return posted;
}

async function waitUntilIdle(): Promise<void> {
  if (unanswered === 0) return;
  await new Promise<void>((resolve) => {
    onIdle = resolve;
  });
  onIdle = undefined;
}

serveParent<ToPayer, FromPayer>((message, reply) => {
  switch (message.kind) {
    case "connect":
      ({ key, accountIds, connections } = message);
      void pool?.close();
      pool = new Pool(message.baseUrl, { connections, pipelining: 1 });
      return;
    case "move":
      void pool?.close();
      pool = new Pool(message.baseUrl, { connections, pipelining: 1 });
      return;
    case "flow":
      flowing = true;
      room = message.inFlight;
      accepted = 0;
      refused = [];
      return fill();
    case "credit":
      room += message.count;
      return fill();
    case "halt":
      flowing = false;
      void waitUntilIdle().then(() => reply({ kind: "halted", accepted, refused }));
      return;
    case "pace":
      refused = [];
      void pace(message.perSecond, message.seconds).then((posted) =>
        reply({ kind: "paced", posted, refused }),
      );
  }
});
