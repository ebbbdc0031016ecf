/** What each screen shows while it loads, when it can't be read, and when what it shows can't be read again. */
import { describe, expect, it } from "vitest";
import type { Principal } from "../../world/people.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { Taxpayer } from "../../world/taxpayer.ts";
import type { WatchedPage } from "../browser.ts";
import { Dashboard } from "../dashboard.ts";
import { tooMany } from "../problems.ts";
import { screenFaults } from "../screen-faults.ts";
import { tryAgain } from "../try-again.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Operating");
const { id: orderId } = await world.comesToRest((await payer.pays(12_300)).id);
const taxpayer = new Taxpayer(world, payer);
const obligation = await taxpayer.owes(45_600, await taxpayer.payee());
const made = async (path: string, body: object) => (await world.post<{ id: string }>(path, body)).body.id;
const counterpartyId = await made("/v1/counterparties", {
  name: "Prairie Grain",
  type: "Business",
  accounts: [],
});
const runId = await made("/v1/reconciliations", {});
const sinkId = await made("/v1/test-sinks", {});
const silentId = await made("/v1/test-sinks", {});
const { accountId: otherAccountId } = await world.payerNamed("Without journals");
const { accountId: thirdAccountId } = await world.payerNamed("Without a history");
const endpointId = await made("/v1/webhook-endpoints", {
  url: "https://hooks.example/here",
  eventTypes: ["*"],
});
const [delivery, other] = await until("two deliveries", async () => {
  const { body } = await world.get<{ data: Delivery[] }>(`/v1/webhooks?objectId=${orderId}`);
  const [first, second] = body.data;
  return first !== undefined && second !== undefined && ([first, second] as const);
});

interface Delivery {
  readonly id: string;
  readonly eventId: string;
}

interface Screen {
  readonly path: string;
  /** The path of the request that the screen can't be drawn without. */
  readonly request: string;
  /** A text that the screen shows once it has the answer. */
  readonly content: string;
}

const screen = (path: string, request: string, content: string): Screen => ({ path, request, content });

/** In this order, so that each screen reads something that no screen before it has read. */
const screens: Partial<Record<Principal, readonly Screen[]>> = {
  maya: [
    screen("/approvals", "/v1/inbox", "Waiting for others"),
    screen("/orders", "/v1/payment-orders", "$123.00"),
    screen(`/orders/${orderId}`, `/v1/payment-orders/${orderId}`, "Ada Example"),
    screen("/counterparties", "/v1/counterparties", "Prairie Grain"),
    screen(
      `/counterparties/${counterpartyId}`,
      `/v1/counterparties/${counterpartyId}`,
      "There is no account to verify.",
    ),
    screen("/obligations", "/v1/obligations", "$456.00"),
    screen(`/obligations/${obligation.id}`, `/v1/obligations/${obligation.id}`, "Fixed: $456.00 booked"),
    screen("/ledger", "/v1/ledger-accounts", "Operating"),
    screen(`/ledger/${payer.accountId}`, `/v1/ledger-accounts/${payer.accountId}`, "Available"),
    screen(
      `/ledger/${otherAccountId}`,
      `/v1/ledger-accounts/${otherAccountId}/journals`,
      "Nothing has happened here yet",
    ),
    screen(
      `/ledger/${thirdAccountId}`,
      `/v1/ledger-accounts/${thirdAccountId}/balance-history`,
      "As a table",
    ),
    screen("/reconciliation", "/v1/reconciliations", "Reconciled"),
    screen(`/reconciliation/${runId}`, `/v1/reconciliations/${runId}`, "matched"),
    screen("/webhooks/endpoints", "/v1/webhook-endpoints", "https://hooks.example/here"),
    screen(
      `/webhooks/endpoints/${endpointId}`,
      `/v1/webhook-endpoints/${endpointId}`,
      "https://hooks.example/here",
    ),
    screen("/webhooks", "/v1/webhooks", "payment_order.completed"),
    screen(`/webhooks/${delivery.id}`, `/v1/webhooks/${delivery.id}`, delivery.id),
    screen(`/webhooks/${other.id}`, `/v1/events/${other.eventId}`, orderId),
    screen("/webhooks/replays", "/v1/webhooks/replay", "No replays yet"),
    screen("/webhooks/sinks", "/v1/test-sinks", sinkId.slice(-4)),
    screen(`/webhooks/sinks/${sinkId}`, `/v1/test-sinks/${sinkId}`, "Address"),
    screen(`/webhooks/sinks/${silentId}`, `/v1/test-sinks/${silentId}/requests`, "Nothing has arrived."),
    screen("/simulator", "/v1/simulations/rails", "RTP"),
    screen("/simulator/rules", "/v1/simulations/injections", "No rules yet"),
    screen("/simulator/statement-errors", "/v1/simulations/bank-statement-faults", "No errors yet"),
    screen("/simulator/log", "/v1/simulations/log", "Nothing has been done yet"),
    screen("/requests", "/v1/requests", "Nothing was refused"),
  ],
  omar: [
    screen("/policy", "/v1/approval-policy", "One approval above"),
    screen("/api-keys", "/v1/api-keys", "Acts as"),
    screen("/people", "/v1/people", "Acts as"),
    screen("/audit-log", "/v1/audit-log", "Signed in"),
  ],
};

/** Follows an address as a link of the page would, without loading the page again. */
const follow = ({ page }: WatchedPage, path: string) =>
  page.evaluate(`history.pushState({}, "", ${JSON.stringify(dashboard.url(path))})`);

async function showsItsStates(shown: WatchedPage, { path, request, content }: Screen): Promise<void> {
  const { page } = shown;
  const isRequested = ({ pathname }: URL) => pathname === request;
  const { promise: held, resolve: answer } = Promise.withResolvers<void>();
  let fails = true;
  await page.route(isRequested, async (route) => {
    await held;
    await (fails ? route.fulfill(tooMany) : route.continue());
  });
  await follow(shown, path);
  const main = page.locator("#content");
  await main.getByLabel("Loading").first().waitFor();
  expect(await page.getByRole("heading", { level: 1 }).innerText()).not.toBe("");
  answer();
  const again = main.getByRole("button", { name: "Try again" }).first();
  await again.waitFor();
  for (const text of ["Too many requests", "Send it again in a moment.", "req_01jd3k60a2f8x9t4c1v5b7w3me"])
    await main.getByText(text).first().waitFor();
  fails = false;
  await tryAgain(page, main.getByText(content).filter({ visible: true }).first());
  fails = true;
  // The stream reports the payment, and the page reads again.
  await payer.pays(100);
  await main.getByText("What you see is as it was at").waitFor();
  expect(await main.getByText(content).filter({ visible: true }).first().isVisible()).toBe(true);
  expect(await again.count()).toBe(0);
  await page.unrouteAll({ behavior: "ignoreErrors" });
}

describe("each screen", () => {
  it.each(Object.keys(screens) as Principal[])(
    "keeps its layout while it loads, offers %s a second try, and keeps what was read with its time",
    async (principal) => {
      const shown = await dashboard.as(principal, "/sign-in");
      await shown.page.route("**/v1/inbox", (route) => route.abort());
      const follows = shown.page.waitForResponse("**/v1/stream");
      await follow(shown, "/nowhere");
      await follows;
      for (const one of screens[principal] ?? []) {
        await showsItsStates(shown, one).catch((cause: unknown) => {
          throw new Error(one.path, { cause });
        });
      }
      expect(await screenFaults(shown, [0, 404, 429])).toEqual([]);
      await shown.close();
    },
    240_000,
  );

  it("has one page for a wrong id", async () => {
    const shown = await dashboard.as("maya", "/orders");
    const { page } = shown;
    for (const path of [
      "/webhooks/endpoints/we_01m80104nre2btytj23x2xz26p",
      "/webhooks/sinks/sink_01m80104nre2btytj23x2xz26p",
      "/obligations/ob_01m80104nre2btytj23x2xz26p/edit",
      "/counterparties/cp_01m80104nre2btytj23x2xz26p",
      "/counterparties/cp_01m80104nre2btytj23x2xz26p/edit",
      "/nowhere",
    ]) {
      await follow(shown, "/orders");
      await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
      await follow(shown, path);
      await page.getByText("There is no such page").first().waitFor();
    }
    expect(await screenFaults(shown, [404])).toEqual([]);
    await shown.close();
  });
});
