/** How a developer finds in a browser what a receiver missed, and sends it again. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";
import { tryAgain } from "../try-again.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Carrier settlements");

interface Sink {
  readonly id: string;
  readonly url: string;
}

/** A test sink with these answers, and an endpoint that sends it completed orders, in one attempt each. */
async function receiverAnswering(...respond: readonly unknown[]): Promise<Sink & { endpointId: string }> {
  const { body: sink } = await world.post<Sink>("/v1/test-sinks", { respond });
  const settings = { url: sink.url, eventTypes: ["payment_order.completed"], maxAttempts: 1 };
  const { body } = await world.post<{ id: string }>("/v1/webhook-endpoints", settings);
  return { ...sink, endpointId: body.id };
}

async function completedOrder(): Promise<string> {
  const { id } = await world.comesToRest((await payer.pays(10_000)).id);
  return id;
}

/** The delivery of the order's completion to the endpoint, once it has this status. */
function deliveryOf(orderId: string, endpointId: string, status: string): Promise<string> {
  return until(`a ${status} delivery`, async () => {
    const path = `/v1/webhooks?objectId=${orderId}&endpointId=${endpointId}&status=${status}`;
    const { body } = await world.get<{ data: { id: string }[] }>(path);
    return body.data[0]?.id;
  });
}

describe("the deliveries of webhooks", () => {
  it("are found by what they are about, show each attempt, and are sent again by the keyboard alone", async () => {
    const { endpointId } = await receiverAnswering({ status: 503, headers: { "x-why": "busy" } }, 200);
    const orderId = await completedOrder();
    const id = await deliveryOf(orderId, endpointId, "DeadLettered");
    const shown = await dashboard.as("maya", "/webhooks");
    const { page } = shown;
    await page.getByRole("row", { name: "payment_order.completed" }).first().waitFor();
    expect(await screenFaults(shown)).toEqual([]);

    await page.getByLabel("Order or other object").fill(orderId);
    await page.getByLabel("Order or other object").press("Enter");
    await page.getByLabel("Status").selectOption("Dead-lettered");
    await page.waitForURL(/objectId=.*status=DeadLettered|status=DeadLettered.*objectId=/);
    const row = page.getByRole("row", { name: "payment_order.completed" });
    // The list of before stays until the filtered one has come.
    await row.nth(1).waitFor({ state: "detached" });
    await row.getByText("503 · ").waitFor();
    await row.getByRole("link").press("Enter");
    await page.waitForURL(`**/webhooks/${id}`);
    await page.getByText("Your receiver answered, and its status is not a 2xx.").waitFor();
    await page.getByRole("textbox", { name: "What was sent" }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);

    await page.getByRole("button", { name: "Retry" }).press("Enter");
    await page.getByText("The receiver has acknowledged it.").waitFor();
    await page.getByText("2 attempts").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("show what a receiver answers to somebody else's retry, and read ahead the one that has the focus", async () => {
    const { endpointId } = await receiverAnswering(503, 200);
    const id = await deliveryOf(await completedOrder(), endpointId, "DeadLettered");
    const shown = await dashboard.as("vera", `/webhooks?endpointId=${endpointId}`);
    const row = shown.page.getByRole("row", { name: "payment_order.completed" });
    await row.getByText("Dead-lettered").waitFor();
    await Promise.all([
      shown.page.waitForRequest((request) => request.url().endsWith(`/v1/webhooks/${id}`)),
      row.getByRole("link").focus(),
    ]);
    await world.post(`/v1/webhooks/${id}/retry`);
    await row.getByText("Delivered").waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("of a period are counted and replayed by the keyboard alone", async () => {
    const { endpointId, id: sinkId, url } = await receiverAnswering(503, 200);
    await deliveryOf(await completedOrder(), endpointId, "DeadLettered");
    const shown = await dashboard.as("maya", "/webhooks/replays");
    const { page } = shown;
    await page.getByRole("combobox", { name: "To" }).selectOption(url);
    const [since, count] = [
      page.getByLabel("Created from"),
      page.getByRole("button", { name: "Count them" }),
    ];
    const lastDay = await since.inputValue();
    // A year with one digit too many can be typed.
    await since.fill("20266-11-28T10:00");
    await expect.poll(() => count.isDisabled()).toBe(true);
    await since.fill(lastDay);
    await count.press("Enter");
    await page.getByText("1 delivery fits.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Replay 1" }).press("Enter");
    await page.getByRole("row", { name: url }).getByText("1 of 1").waitFor();
    await page.getByRole("row", { name: url }).getByText("Done").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await until("the second request", async () => {
      const { body } = await world.get<{ received: number }>(`/v1/test-sinks/${sinkId}`);
      return body.received === 2 || undefined;
    });
    await shown.close();
  });

  it("can be read by a viewer, who can change nothing", async () => {
    const { endpointId } = await receiverAnswering(503);
    const id = await deliveryOf(await completedOrder(), endpointId, "DeadLettered");
    const shown = await dashboard.as("vera", `/webhooks/${id}`);
    const { page } = shown;
    await page.getByText("Your receiver answered, and its status is not a 2xx.").waitFor();
    expect(await page.getByRole("button", { name: "Retry" }).count()).toBe(0);
    await page.goto(dashboard.url(`/webhooks/endpoints/${endpointId}`));
    await page.getByText("How it is sent").waitFor();
    expect(await page.getByRole("button", { name: "Rotate" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Delete…" }).count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("say so where there is none with the id, and offer to try again where they can't be read", async () => {
    const shown = await dashboard.as("vera", "/webhooks/wh_01jd3k2n6vfc4b8m0x7p5g3hyj");
    const { page } = shown;
    await page.getByText("There is no such page").waitFor();
    expect(await screenFaults(shown, [404])).toEqual([]);
    await page.route("**/v1/webhooks?*", (route) => route.abort());
    await page.goto(dashboard.url("/webhooks"));
    await page.getByText("Quittance can't be reached").waitFor();
    await page.unroute("**/v1/webhooks?*");
    expect(await page.getByRole("table").count()).toBe(0);
    await tryAgain(page, page.getByRole("table").or(page.getByText("Nothing sent yet")).first());
    await shown.close();
  });
});

describe("a webhook endpoint", () => {
  it("is created with a secret that is shown once, tested, edited, disabled and deleted", async () => {
    const { body: sink } = await world.post<Sink>("/v1/test-sinks", {});
    const shown = await dashboard.as("maya", "/webhooks/endpoints");
    const { page } = shown;
    await page.getByRole("button", { name: "New endpoint" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByText("You see the signing secret once").waitFor();
    await sheet.getByLabel("URL").fill(sink.url);
    await sheet.getByLabel("Description").fill("Settlement service");
    await sheet.getByLabel("Attempts", { exact: true }).fill("11");
    await sheet.getByRole("button", { name: "New endpoint" }).click();
    await sheet.getByRole("button", { name: "Add a passkey" }).click();
    await sheet.locator("[aria-invalid]").waitFor();
    expect(await sheet.getByLabel("Attempts", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    expect(await screenFaults(shown, [400, 403])).toEqual([]);
    await sheet.getByLabel("Attempts", { exact: true }).fill("4");
    const pauses = sheet.getByLabel("Pauses between attempts");
    await pauses.fill("10 s, 5 mim");
    await sheet.getByText("“5 mim” can't be read as a time.").waitFor();
    await expect.poll(() => sheet.getByRole("button", { name: "New endpoint" }).isDisabled()).toBe(true);
    await pauses.fill("10 s, 5 min, 7200");
    await sheet.getByText("10 seconds, 5 minutes, 2 hours").waitFor();
    await sheet.getByRole("button", { name: "New endpoint" }).click();
    await page.getByLabel("Signing secret", { exact: true }).waitFor();
    expect(await page.getByLabel("Signing secret", { exact: true }).innerText()).toMatch(
      /^whsec_[A-Za-z0-9+/=]{40,}$/,
    );
    await page.getByRole("button", { name: "I have stored it" }).click();

    await page.getByText("Settlement service").waitFor();
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("Delivered", { exact: true }).waitFor();
    expect(await screenFaults(shown, [400, 403])).toEqual([]);
    await page.getByRole("button", { name: "Edit" }).click();
    await sheet.getByLabel("Every type, including types added later").check();
    await sheet.getByRole("button", { name: "Save" }).click();
    await sheet.waitFor({ state: "hidden" });
    await page.getByText("Every type, including types added later").waitFor();
    await page.getByText("10 seconds, 5 minutes, 2 hours").waitFor();
    await page.getByRole("button", { name: "Copy Disable as curl" }).waitFor();
    await page.getByRole("button", { name: "Disable", exact: true }).click();
    await page.getByText("This endpoint is disabled").waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await sheet.getByRole("button", { name: "Delete it" }).click();
    await page.waitForURL("**/webhooks/endpoints");
    await page.getByText("Settlement service").waitFor({ state: "hidden" });
    await shown.close();
  });

  it("gets a new secret beside the old one, which is then retired", async () => {
    const { endpointId } = await receiverAnswering(200);
    const shown = await dashboard.as("iris", `/webhooks/endpoints/${endpointId}`);
    const { page } = shown;
    await page.getByText("A secret is shown once, when it is made").waitFor();
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    const secret = await page.getByLabel("Signing secret", { exact: true }).innerText();
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByText("signs until").waitFor();
    expect(await page.getByText("Secret of").count()).toBe(2);
    await page.getByRole("button", { name: "Retire the old ones" }).click();
    await page.getByText("signs until").waitFor({ state: "hidden" });
    expect(await page.getByText("Secret of").count()).toBe(1);
    expect(await screenFaults(shown, [403])).toEqual([]);
    await shown.close();
  });
});

describe("a test sink", () => {
  it("shows what arrives the moment that it arrives, and answers as it is asked to", async () => {
    const shown = await dashboard.as("theo", "/webhooks/sinks");
    const { page } = shown;
    await page.getByRole("button", { name: "New sink" }).click();
    await page.getByText("Nothing has arrived. What arrives is shown at once.").waitFor();
    await page.getByRole("button", { name: "Send every event here" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("An endpoint sends events here.").waitFor();
    await page.getByLabel("Answers, in turn").fill("503, Reset, 200");
    await page.getByRole("button", { name: "Save the answers" }).press("Enter");
    await page.getByText("The next request gets the first answer.").waitFor();
    await completedOrder();
    const first = page.getByText("#1", { exact: true });
    await first.waitFor();
    await page.getByText("Signed", { exact: true }).first().waitFor();
    await first.click();
    await page.getByRole("textbox", { name: "Headers" }).first().waitFor();
    expect(await screenFaults(shown, [403])).toEqual([]);
    await page.getByRole("button", { name: "Delete the sink" }).click();
    await page.waitForURL("**/webhooks/sinks");
    await shown.close();
  });
});
