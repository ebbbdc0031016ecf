/** A proxy before a service. It loses requests and answers as a test wants. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What is lost of one request. With "the answer" or "its end" the service has carried it out, else it never got it. */
export type Loss =
  | "the request"
  | "the answer"
  | "its end"
  | "all signs of life"
  | { status: number; headers?: Record<string, string>; body: string };

export interface LossyProxy {
  readonly url: string;
  /** For the next requests, one each; after that nothing is lost. */
  readonly losses: Loss[];
  /** The Idempotency-Key of each request. */
  readonly keys: (string | undefined)[];
  close(): Promise<void>;
}

export async function openLossyProxy(target: string): Promise<LossyProxy> {
  const losses: Loss[] = [];
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const loss = losses.shift();
    const { "x-api-key": apiKey, "idempotency-key": key, "content-type": type } = request.headers;
    keys.push(key as string | undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    if (loss === "all signs of life") return;
    if (loss === "the request") {
      response.destroy();
      return;
    }
    if (typeof loss === "object") {
      response.writeHead(loss.status, loss.headers).end(loss.body);
      return;
    }
    const headers = Object.entries({ "x-api-key": apiKey, "idempotency-key": key, "content-type": type });
    const answered = await fetch(`${target}${String(request.url)}`, {
      method: String(request.method),
      headers: headers.filter((header): header is [string, string] => typeof header[1] === "string"),
      ...(sent.length === 0 ? {} : { body: sent }),
    });
    const body = Buffer.from(await answered.arrayBuffer());
    if (loss === "the answer") {
      response.destroy();
      return;
    }
    const {
      "content-encoding": _packed,
      "transfer-encoding": _parts,
      ...kept
    } = Object.fromEntries(answered.headers);
    response.writeHead(answered.status, { ...kept, "content-length": body.length });
    if (loss === "its end") response.write(body.subarray(0, 20), () => response.destroy());
    else response.end(body);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    losses,
    keys,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
