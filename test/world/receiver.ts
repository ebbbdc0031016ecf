/** A tenant's webhook receiver: an HTTP server that verifies the signature before it parses the body. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Record<string, unknown> & { id: string; status: string; sequence: number };
}

export interface Receiver {
  readonly url: string;
  /** The endpoint's secret. A delivery without its signature is refused with 401. */
  secret: string | undefined;
  /** Every verified delivery, including repeated ones, in order of arrival. */
  readonly deliveries: ReceivedEvent[];
  /** Deliveries whose signature did not verify. */
  readonly refused: string[];
  /** The distinct events of one order, by sequence. */
  eventsOf(orderId: string): ReceivedEvent[];
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const deliveries: ReceivedEvent[] = [];
  const refused: string[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (!verifies(body, String(request.headers["x-service-signature"] ?? ""), receiver.secret)) {
        refused.push(body.toString());
        response.writeHead(401).end();
        return;
      }
      deliveries.push(JSON.parse(body.toString()) as ReceivedEvent);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhooks`,
    secret: undefined,
    deliveries,
    refused,
    eventsOf(orderId) {
      const distinct = new Map(
        deliveries.filter(({ data }) => data.id === orderId).map((event) => [event.id, event]),
      );
      return [...distinct.values()].sort((a, b) => a.data.sequence - b.data.sequence);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}

/** Compares in constant time, over the received bytes. Any of the comma-separated signatures may match. */
function verifies(body: Buffer, header: string, secret: string | undefined): boolean {
  if (secret === undefined) return false;
  const expected = createHmac("sha256", secret).update(body).digest();
  return header.split(",").some((hex) => {
    const signature = Buffer.from(hex, "hex");
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
