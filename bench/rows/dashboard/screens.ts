/** How soon a screen is usable, answers and follows, for an approver with 25 and with 100 waiting orders. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { call } from "../../../scripts/local/demo/api.ts";
import { seedTenant, type SeededTenant } from "../../../scripts/local/demo/seed.ts";
import { gatewayOf } from "../../endpoints.ts";
import { median, percentile } from "../../measures/measure.ts";
import type { Options } from "../../options.ts";
import { bounded, type Row } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import { type Credentials, invite } from "./people.ts";
import {
  clickedAt,
  drawnAt,
  longestInput,
  openBrowser,
  openScreen,
  slowLine,
  slowProcessor,
  urlOf,
} from "./screen.ts";

const decisions = 50;
/** A person takes at least so long to decide. */
const betweenDecisionsMs = 1_500;
/** A row of the inbox or of a list of orders. */
const row = ".row-button, tr.link";
const approveButton = "button.primary.big:not(:disabled)";

export async function measureScreens(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const few = await Inbox.open(stage, "Inbox of 25", 25);
  const many = await Inbox.open(stage, "Inbox of 100", 100);
  const browser = await openBrowser();
  try {
    return [
      await measureFirstScreen(few, browser, options, log, true),
      await measureFirstScreen(few, browser, options, log, false),
      await measureNextRoute(many, browser, options, log),
      await measureInputs(many, browser, options, log),
      await measureOtherScreen(many, browser, log),
    ];
  } finally {
    await browser.close();
  }
}

/** A tenant with orders that wait, and its approver. */
class Inbox {
  readonly stage: Stage;
  readonly approver: Credentials;
  readonly orders: readonly string[];
  readonly #tenant: SeededTenant;

  private constructor(stage: Stage, tenant: SeededTenant, approver: Credentials, orders: readonly string[]) {
    this.stage = stage;
    this.approver = approver;
    this.orders = orders;
    this.#tenant = tenant;
  }

  static async open(stage: Stage, name: string, count: number): Promise<Inbox> {
    const tenant = await seedTenant(stage.databaseUrlOf("gateway"), name);
    const approver = await invite(stage, tenant, "noor", ["Approver"]);
    const send = <T>(path: string, body: object) =>
      call<T>(gatewayOf(stage), { method: "POST", path, key: tenant.keys.maker, body });
    await send("/v1/ledger-accounts", { name: "Operating" });
    const orders: string[] = [];
    for (let number = 1; number <= count; number += 1) {
      const { status, body } = await send<{ id: string }>("/v1/payment-orders", {
        direction: "Credit",
        rail: "Wire",
        amountCents: 100_000 + number,
        ledgerAccountName: "Operating",
        counterpartyName: `Supplier ${String(number)}`,
        counterpartyAccountNumber: "000123456789",
        counterpartyRoutingNumber: "790001005",
      });
      if (status !== 201) throw new Error(`an order: ${JSON.stringify(body)}`);
      orders.push(body.id);
    }
    const inbox = new Inbox(stage, tenant, approver, orders);
    await inbox.#untilAllWait();
    return inbox;
  }

  screen(browser: Browser): Promise<Page> {
    return openScreen(browser, this.stage, this.approver);
  }

  /** Somebody else denies the order. Returns once the API has answered. */
  async deny(id: string): Promise<void> {
    const path = `/v1/payment-orders/${id}/deny`;
    const key = this.#tenant.keys.approver1;
    const request = { method: "POST", path, key, body: { reason: "Not ours" } } as const;
    const { status, body } = await call(gatewayOf(this.stage), request);
    if (status !== 200) throw new Error(`a denial: ${JSON.stringify(body)}`);
  }

  async #untilAllWait(): Promise<void> {
    const path = "/v1/payment-orders?status=Pending&awaiting=Approval&limit=100";
    const deadline = performance.now() + 30_000;
    for (;;) {
      const { body } = await call<{ data: unknown[] }>(gatewayOf(this.stage), {
        method: "GET",
        path,
        key: this.#tenant.keys.approver1,
      });
      if (body.data.length === this.orders.length) return;
      if (performance.now() > deadline) throw new Error(`only ${String(body.data.length)} orders wait`);
    }
  }
}

/** From the request of the page to a list of all orders and an enabled button that approves the first. */
async function measureFirstScreen(
  inbox: Inbox,
  browser: Browser,
  { rounds }: Options,
  log: (line: string) => void,
  isSlow: boolean,
): Promise<Row> {
  const ms: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const page = await inbox.screen(browser);
    if (isSlow) await Promise.all([slowProcessor(page), slowLine(page)]);
    await page.goto(urlOf(inbox.stage, "/test/approvals"), { waitUntil: "commit" });
    await drawnAt(page, row, inbox.orders.length);
    ms.push(await drawnAt(page, approveButton, 1));
    await page.context().close();
  }
  const where = isSlow ? "at 4× slower CPU, 9 Mbit/s, 60 ms" : "unhindered";
  const bar = isSlow ? 1_500 : 400;
  return rowOf(`Inbox of ${String(inbox.orders.length)} usable, ${where}`, ms, bar, log);
}

/** From a click on Orders in an open inbox to a drawn list. */
async function measureNextRoute(
  inbox: Inbox,
  browser: Browser,
  { rounds }: Options,
  log: (line: string) => void,
): Promise<Row> {
  const ms: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const page = await inbox.screen(browser);
    await page.goto(urlOf(inbox.stage, "/test/approvals"));
    await drawnAt(page, approveButton, 1);
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    const drawn = await drawnAt(page, "tr.link", 25);
    ms.push(drawn - (await clickedAt(page)));
    await page.context().close();
  }
  return rowOf("Next route, from the click to a drawn list", ms, 150, log);
}

/** The longest of 38 inputs in an inbox of 100: moves, ticks, the sheet of many orders, and its end. */
async function measureInputs(
  inbox: Inbox,
  browser: Browser,
  { rounds }: Options,
  log: (line: string) => void,
): Promise<Row> {
  const ms: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const page = await inbox.screen(browser);
    await page.goto(urlOf(inbox.stage, "/test/approvals"));
    await drawnAt(page, row, inbox.orders.length);
    await drawnAt(page, approveButton, 1);
    await slowProcessor(page);
    for (let move = 1; move <= 12; move += 1) {
      await page.keyboard.press("j");
      await page.keyboard.press("x");
      await page.locator(".row-button").nth(move).click();
    }
    await page.keyboard.press("a");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    const { ms: longest, name } = await longestInput(page);
    log(`round ${String(round)}  longest input: ${name}, ${longest.toFixed(0)} ms`);
    ms.push(longest);
    await page.context().close();
  }
  return rowOf("INP at 4× slower CPU with 100 rows", ms, 200, log);
}

/** From the answer to a decision to the screen of another person on which the order no longer waits. */
async function measureOtherScreen(inbox: Inbox, browser: Browser, log: (line: string) => void): Promise<Row> {
  const page = await inbox.screen(browser);
  await page.goto(urlOf(inbox.stage, "/test/approvals"));
  await drawnAt(page, row, inbox.orders.length);
  const ms: number[] = [];
  for (const [index, id] of inbox.orders.slice(0, decisions).entries()) {
    const payee = `Supplier ${String(index + 1)}`;
    const gone = page
      .locator(".row-button", { has: page.getByText(payee, { exact: true }) })
      .waitFor({ state: "detached" });
    await inbox.deny(id);
    const answeredAt = performance.now();
    await gone;
    ms.push(performance.now() - answeredAt);
    await sleep(betweenDecisionsMs);
  }
  await page.context().close();
  const p95 = percentile(ms, 0.95);
  log(`a decision is on another screen after ${p95.toFixed(0)} ms at p95`);
  const note = `of ${String(decisions)} decisions, one every 1.5 s; median ${median(ms).toFixed(0)} ms, longest ${Math.max(...ms).toFixed(0)} ms`;
  return bounded("A decision on another screen, p95", p95, { floor: 1_000, goal: 1_000, unit: "ms" }, [note]);
}

function rowOf(what: string, ms: readonly number[], bar: number, log: (line: string) => void): Row {
  const list = ms.map((one) => one.toFixed(0)).join(", ");
  log(`${what}: ${list} ms`);
  return bounded(what, median(ms), { floor: bar, goal: bar, unit: "ms" }, [`ms of each round: ${list}`]);
}
