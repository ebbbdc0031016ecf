/** The minimal cost of a signed webhook: an undici Pool, one HMAC per request, and nothing stored. */
import { createHmac, randomBytes } from "node:crypto";
import { Pool } from "undici";
import { newId } from "../../contracts/ids/ids.ts";
import { serveParent } from "../worker.ts";

export interface ToBareWebhooks {
  readonly kind: "run";
  readonly origin: string;
  readonly path: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface FromBareWebhooks {
  readonly kind: "ran";
  readonly operations: number;
}

const secret = randomBytes(32);

function event(): Buffer {
  const occurredAt = new Date().toISOString();
  const data = {
    id: newId("po"),
    status: "Completed",
    rail: "Rtp",
    amountCents: 1_000,
    currency: "USD",
    direction: "Credit",
    externalId: null,
    previousStatus: "Processing",
    sequence: 4,
    occurredAt,
  };
  return Buffer.from(
    JSON.stringify({ id: newId("evt"), type: "payment_order.completed", created_at: occurredAt, data }),
  );
}

async function run({ origin, path, connections, seconds }: ToBareWebhooks): Promise<number> {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const endsAt = performance.now() + seconds * 1_000;
  let operations = 0;
  const work = async () => {
    while (performance.now() < endsAt) {
      const body = event();
      const signature = createHmac("sha256", secret).update(body).digest("hex");
      const headers = { "content-type": "application/json", "x-service-signature": signature };
      const answer = await pool.request({ method: "POST", path, headers, body });
      await answer.body.dump();
      operations += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  await pool.close();
  return operations;
}

serveParent<ToBareWebhooks, FromBareWebhooks>((message, reply) => {
  void run(message).then((operations) => reply({ kind: "ran", operations }));
});
