/** A tenant that sends as many requests as its limits allow, as a loop in its code would. */
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import { serveParent } from "../worker.ts";

/** Reads one order, or changes one Draft. */
export type Load = "reads" | "edits";

export type ToNeighbour =
  | { readonly kind: "connect"; readonly baseUrl: string; readonly key: string; readonly draftId: string }
  /** Send this load until `stop`: each of the parallel loops sends its next request after an answer. */
  | { readonly kind: "send"; readonly load: Load; readonly parallel: number }
  | { readonly kind: "stop" };

/** The number of answers by HTTP status, and of requests without an answer by the error's code, such as ECONNRESET. */
export interface FromNeighbour {
  readonly kind: "stopped";
  readonly answers: Readonly<Record<string, number>>;
}

const afterFailureMs = 100;

let pool: Pool | undefined;
let key = "";
let path = "";
let isSending = false;
let loops: Promise<void>[] = [];
let answers: Record<string, number> = {};
let edits = 0;

async function send(load: Load): Promise<void> {
  while (isSending && pool !== undefined) {
    edits += 1;
    try {
      const { statusCode, headers, body } = await pool.request({
        path,
        method: load === "reads" ? "GET" : "PATCH",
        headers: { "x-api-key": key, "content-type": "application/json" },
        ...(load === "reads" ? {} : { body: JSON.stringify({ description: `edit ${String(edits)}` }) }),
      });
      await body.dump();
      count(String(statusCode));
      // A client that ignored this would only get more refusals.
      if (statusCode === 429) await delay(Number(headers["retry-after"] ?? "1") * 1_000);
    } catch (error) {
      count(error instanceof Error && "code" in error ? String(error.code) : String(error));
      await delay(afterFailureMs);
    }
  }
}

function count(answer: string): void {
  answers[answer] = (answers[answer] ?? 0) + 1;
}

serveParent<ToNeighbour, FromNeighbour>((message, reply) => {
  switch (message.kind) {
    case "connect":
      key = message.key;
      path = `/v1/payment-orders/${message.draftId}`;
      pool = new Pool(message.baseUrl, { connections: 256, pipelining: 1 });
      return;
    case "send":
      isSending = true;
      answers = {};
      loops = Array.from({ length: message.parallel }, () => send(message.load));
      return;
    case "stop":
      isSending = false;
      void Promise.all(loops).then(() => reply({ kind: "stopped", answers }));
  }
});
