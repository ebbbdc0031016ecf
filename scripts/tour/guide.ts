/** Runs and prints the steps of the tour: the curl, the answer, and the balances that moved. */
import { createHmac } from "node:crypto";
import type { LedgerAccount } from "../../contracts/http/ledger/ledger-accounts.ts";
import type { PaymentOrder } from "../../contracts/http/payments/payment-orders.ts";
import type { TestSinkRequest } from "../../contracts/http/webhooks/test-sinks.ts";
import { type Answer, type Call, callUntil, callWithinLimits } from "../local/demo/api.ts";
import { dashboardUrl } from "../local/demo/dashboard-url.ts";
import type { PartName } from "../local/demo/seed.ts";

type Keys = Readonly<Record<PartName, string>>;

export interface Sandbox {
  readonly baseUrl: string;
  readonly keys: Keys;
  /** Of a second tenant, whose clock the tour moves: the first one's stays as it is. */
  readonly clockKeys: Keys;
}

export const dollars = (cents: number): string =>
  `${cents < 0 ? "-" : ""}$${Math.floor(Math.abs(cents) / 100).toLocaleString("en-US")}.${String(Math.abs(cents) % 100).padStart(2, "0")}`;

/** Before the names of the second tenant's keys. */
export const clockPrefix = "clock_";

/** The service did not answer as the tour expects: the tour stops with this message. */
export class TourMismatch extends Error {
  override readonly name = "TourMismatch";
}

export function expectThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new TourMismatch(otherwise);
}

/** The approval policy in force refuses the request; its stop is skipped. */
class RefusedByPolicy extends Error {
  override readonly name = "RefusedByPolicy";
}

const final = new Set(["Completed", "Failed", "Returned", "Cancelled"]);

interface Count {
  steps: number;
  skipped: number;
}

/** Prints every call as a curl command. */
export class Guide {
  readonly #sandbox: Sandbox;
  readonly #print: (line: string) => void;
  /** Before the names of the keys in the curl commands. */
  readonly #keyPrefix: string;
  readonly #count: Count;
  readonly #seen = new Map<string, LedgerAccount>();

  constructor(
    sandbox: Sandbox,
    print: (line: string) => void,
    { keyPrefix = "", count = { steps: 0, skipped: 0 } }: { keyPrefix?: string; count?: Count } = {},
  ) {
    this.#sandbox = sandbox;
    this.#print = print;
    this.#keyPrefix = keyPrefix;
    this.#count = count;
  }

  /** The guide in the book of the tenant whose clock the tour moves. Its steps count with these. */
  inClockBook(): Guide {
    const sandbox = { ...this.#sandbox, keys: this.#sandbox.clockKeys };
    return new Guide(sandbox, this.#print, { keyPrefix: clockPrefix, count: this.#count });
  }

  get steps(): number {
    return this.#count.steps;
  }

  /** The stops that the policy in force refused. */
  get skipped(): number {
    return this.#count.skipped;
  }

  async step(title: string): Promise<void> {
    this.#count.steps += 1;
    this.#print(`\n${String(this.#count.steps).padStart(2)}. ${title}`);
    // What earlier steps moved does not count for this one.
    for (const id of this.#seen.keys()) this.#seen.set(id, await this.#account(id));
  }

  /** A step that moves money: it ends with the refusal if the policy in force refuses it. True if it did not. */
  async stop(title: string, act: () => Promise<void>): Promise<boolean> {
    await this.step(title);
    try {
      await act();
      return true;
    } catch (error) {
      if (!(error instanceof RefusedByPolicy)) throw error;
      this.#count.skipped += 1;
      this.say(`skipped: ${error.message}`);
      return false;
    }
  }

  say(text: string): void {
    this.#print(`    ${text}`);
  }

  /** Calls as `as`, shows the curl and the members named in `show`, and requires the status. */
  async send<T>(
    as: PartName,
    request: Omit<Call, "key">,
    expected: { status: number; show?: readonly string[] },
  ): Promise<Answer<T>> {
    this.#print(indent(curlOf(this.#keyPrefix + as, request)));
    const answer = await callWithinLimits<T>(this.#sandbox.baseUrl, {
      ...request,
      key: this.#sandbox.keys[as],
    });
    this.#print(indent(`→ ${String(answer.status)} ${summary(answer.body, expected.show)}`));
    const { code, detail } = answer.body as { code?: string; detail?: string };
    if (code === "velocity_limit_exceeded") throw new RefusedByPolicy(detail ?? code);
    expectThat(
      answer.status === expected.status,
      `expected ${String(expected.status)}, got ${String(answer.status)}: ${JSON.stringify(answer.body)}`,
    );
    return answer;
  }

  /** Reads without printing. */
  look<T>(path: string, as: PartName = "maker"): Promise<Answer<T>> {
    return callWithinLimits<T>(this.#sandbox.baseUrl, {
      method: "GET",
      path,
      key: this.#sandbox.keys[as],
    });
  }

  lookUntil<T>(path: string, done: (body: T) => boolean): Promise<T> {
    const request = { method: "GET", path, key: this.#sandbox.keys.maker } as const;
    return callUntil<T>(this.#sandbox.baseUrl, request, ({ body }) => done(body)).then(({ body }) => body);
  }

  /** Waits until the order is final, prints its statuses and its page, and requires the last status. */
  async follow(id: string, expected: PaymentOrder["status"]): Promise<PaymentOrder> {
    const path = `/v1/payment-orders/${id}`;
    const order = await this.lookUntil<PaymentOrder>(path, (body) => final.has(body.status));
    const began = Date.parse(order.createdAt);
    const way = order.statusHistory
      .map(({ to, at }) => `${to} +${String(Date.parse(at) - began)} ms`)
      .join(" → ");
    this.say(`way:   ${way}`);
    // Nobody signs in to the second tenant.
    if (this.#keyPrefix === "") this.say(`page:  ${dashboardUrl(this.#sandbox.baseUrl)}/test/orders/${id}`);
    expectThat(order.status === expected, `expected ${expected}, the order is ${JSON.stringify(order)}`);
    return order;
  }

  /** Prints the balances of accounts, and what moved since the step began or they were last printed. */
  async moved(...accountIds: readonly string[]): Promise<void> {
    for (const id of accountIds) {
      const now = await this.#account(id);
      const before = this.#seen.get(id);
      this.#seen.set(id, now);
      const posted = change(before?.postedBalanceCents ?? 0, now.postedBalanceCents);
      const held = now.pendingBalanceCents === 0 ? "" : `, ${dollars(now.pendingBalanceCents)} held`;
      this.say(
        `moved: ${now.name.padEnd(24)} posted ${posted}${held}, available ${dollars(now.availableBalanceCents)}`,
      );
    }
  }

  async #account(id: string): Promise<LedgerAccount> {
    return (await this.look<LedgerAccount>(`/v1/ledger-accounts/${id}`)).body;
  }

  /** Waits for an order's event at the sink, and verifies its signature as a receiver would. */
  async webhook(sinkId: string, secret: string, orderId: string, type: string): Promise<void> {
    const find = (requests: readonly TestSinkRequest[]) =>
      requests.find((request) => {
        const body = Buffer.from(request.bodyBase64, "base64").toString();
        return body.includes(orderId) && body.includes(`"${type}"`);
      });
    const { data } = await this.lookUntil<{ data: TestSinkRequest[] }>(
      `/v1/test-sinks/${sinkId}/requests?limit=100`,
      (body) => find(body.data) !== undefined,
    );
    const request = find(data);
    expectThat(request !== undefined, `no webhook ${type} for ${orderId}`);
    const bytes = Buffer.from(request.bodyBase64, "base64");
    const signature = createHmac("sha256", secret).update(bytes).digest("hex");
    const verified = (request.headers["x-service-signature"] ?? "").split(",").includes(signature);
    expectThat(verified, `the signature of ${type} does not verify`);
    this.say(`hook:  ${type}, X-Service-Signature ${signature.slice(0, 16)}… verified`);
  }
}

function change(before: number, now: number): string {
  return before === now ? dollars(now) : `${dollars(before)} → ${dollars(now)}`;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}

function curlOf(key: string, request: Omit<Call, "key">): string {
  const method = request.method === "GET" ? "" : ` -X ${request.method}`;
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => ` -H '${name}: ${value}'`);
  const body =
    request.body === undefined
      ? ""
      : ` -H 'Content-Type: application/json' \\\n    -d '${JSON.stringify(request.body)}'`;
  return `curl -s${method} $API${request.path} -H "X-API-Key: $${key.toUpperCase()}"${headers.join("")}${body}`;
}

function summary(body: unknown, show: readonly string[] | undefined): string {
  if (show === undefined) return JSON.stringify(body).slice(0, 300);
  const members = body as Record<string, unknown>;
  return `{ ${show.map((name) => `${name}: ${JSON.stringify(members[name])}`).join(", ")} }`;
}
