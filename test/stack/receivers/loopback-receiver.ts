/** An HTTP server on loopback that records requests as raw bytes and answers as the test says. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../until.ts";

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export class LoopbackReceiver {
  readonly requests: Received[] = [];
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  readonly #held: ServerResponse[] = [];
  #answers: readonly Answer[] = [{ status: 204 }];
  #holds = false;

  static async open(): Promise<LoopbackReceiver> {
    const receiver = new LoopbackReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}/hooks?from=quittance`;
  }

  /** The answers to the next requests, in order; the last one repeats. A number is a status. */
  answers(...answers: readonly (number | Answer)[]): void {
    this.#answers = answers.map((answer) => (typeof answer === "number" ? { status: answer } : answer));
  }

  /** From now on requests are recorded and not answered. */
  holds(): void {
    this.#holds = true;
  }

  /** Answers the unanswered requests, and all later ones. */
  releases(): void {
    this.#holds = false;
    for (const response of this.#held.splice(0)) this.#answer(response);
  }

  /** Waits until it has received `count` requests in total. */
  async has(count: number): Promise<void> {
    await until(`${String(count)} requests`, () => this.requests.length >= count);
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.requests.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) });
    if (this.#holds) this.#held.push(response);
    else this.#answer(response);
  }

  #answer(response: ServerResponse): void {
    const [answer = { status: 204 }, ...rest] = this.#answers;
    if (rest.length > 0) this.#answers = rest;
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }
}
