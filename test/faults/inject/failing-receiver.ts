/** A tenant's receiver that fails a third of the time, and remembers what it got and what it answered. */
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RandomFaults } from "./random-faults.ts";

const failingShare = 1 / 3;
const failures = ["status", "reset", "redirect", "silence"] as const;

/** What the receiver knows of one event. */
export interface Receipt {
  requests: number;
  /** How often it answered 204. */
  acknowledged: number;
  /** Hashes of the bodies that it got: at most one, because the bytes of an event never change. */
  readonly bodies: Set<string>;
}

export class FailingReceiver {
  /** By event id. */
  readonly receipts = new Map<string, Receipt>();
  /** Requests that no secret of the endpoint had signed. */
  forged = 0;
  /** The most signatures of one request: one of each secret in force. */
  maxSignatures = 0;
  readonly #secrets: string[] = [];
  readonly #random: RandomFaults;
  readonly #server = createServer((request, response) => void this.#receive(request, response));

  private constructor(random: RandomFaults) {
    this.#random = random;
  }

  static async open(random: RandomFaults): Promise<FailingReceiver> {
    const receiver = new FailingReceiver(random);
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}/webhooks`;
  }

  /** One more secret whose signature it takes. */
  trust(secret: string): void {
    this.#secrets.push(secret);
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receipt = this.#receiptOf(String(request.headers["webhook-id"] ?? ""));
    receipt.requests += 1;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // The sender was killed in the middle of its request, or had waited long enough.
    }
    const body = Buffer.concat(chunks);
    if (!this.#verifies(body, String(request.headers["x-service-signature"] ?? ""))) this.forged += 1;
    receipt.bodies.add(createHash("sha256").update(body).digest("hex"));
    if (this.#random.next() < failingShare) return fail(request, response, this.#random.pick(failures));
    receipt.acknowledged += 1;
    response.writeHead(204).end();
  }

  #receiptOf(event: string): Receipt {
    const receipt = this.receipts.get(event) ?? { requests: 0, acknowledged: 0, bodies: new Set() };
    this.receipts.set(event, receipt);
    return receipt;
  }

  #verifies(body: Buffer, header: string): boolean {
    const signatures = header.split(",");
    this.maxSignatures = Math.max(this.maxSignatures, signatures.length);
    return this.#secrets.some((secret) =>
      signatures.includes(createHmac("sha256", secret).update(body).digest("hex")),
    );
  }
}

function fail(request: IncomingMessage, response: ServerResponse, how: (typeof failures)[number]): void {
  if (how === "status") response.writeHead(503).end();
  if (how === "redirect") response.writeHead(302, { location: "/elsewhere" }).end();
  if (how === "reset") request.socket.resetAndDestroy();
  // Silent: the sender's time-out ends the request.
}
