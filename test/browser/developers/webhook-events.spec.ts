/** How a developer reads an event, sends it again to one endpoint, and finds why a receiver refuses it. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Carrier settlements");

interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly signingSecret: string;
  readonly sinkId: string;
}

/** An endpoint that is sent completed orders in one attempt each, at a sink with these answers. */
async function endpointAnswering(...respond: readonly number[]): Promise<Endpoint> {
  const { body: sink } = await world.post<{ id: string; url: string }>("/v1/test-sinks", { respond });
  const settings = { url: sink.url, eventTypes: ["payment_order.completed"], maxAttempts: 1 };
  const { body } = await world.post<Omit<Endpoint, "sinkId">>("/v1/webhook-endpoints", settings);
  return { ...body, sinkId: sink.id };
}

interface Received {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the endpoint's receiver got first. */
function firstRequestOf({ sinkId }: Endpoint): Promise<Received> {
  return until("the request", async () => {
    const { body } = await world.get<{ data: Received[] }>(`/v1/test-sinks/${sinkId}/requests?after=0`);
    return body.data[0];
  });
}

describe("events", () => {
  it("are found by what they are about, say what endpoints get, and are sent again to one of them", async () => {
    const endpoint = await endpointAnswering(503, 200);
    const { id: orderId } = await world.comesToRest((await payer.pays(10_000)).id);
    await firstRequestOf(endpoint);
    const shown = await dashboard.as("maya", "/webhooks");
    const { page } = shown;
    await page.getByRole("link", { name: "Events", exact: true }).click();
    // The list of deliveries, which is shown until then, has a filter of the same name.
    await page.getByRole("table", { name: "Events, newest first", exact: true }).waitFor();
    await page.getByLabel("Order or other object").fill(orderId);
    await page.getByLabel("Order or other object").press("Enter");
    await page.getByLabel("Event type").selectOption("payment_order.completed");
    await page.waitForURL(/objectId=.*type=payment_order|type=payment_order.*objectId=/);
    const row = page.getByRole("row", { name: "payment_order.completed" });
    await row.getByText(orderId).waitFor();
    expect(await screenFaults(shown)).toEqual([]);

    await row.getByRole("link").press("Enter");
    await page.getByText("amountCents: 10000").waitFor();
    await page.getByText("As text").click();
    expect(await page.getByRole("textbox", { name: "What it says" }).inputValue()).toContain(
      '"amountCents": 10000',
    );
    const delivery = page.getByRole("row", { name: endpoint.url });
    await delivery.getByText("Dead-lettered").waitFor();
    expect(await screenFaults(shown)).toEqual([]);

    const keys: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") keys.push(request.headers()["idempotency-key"]);
    });
    await page.route("**/v1/webhooks/*/retry", (route) => route.abort());
    const again = page.getByRole("button", { name: `Send again to ${endpoint.url}` });
    await again.press("Enter");
    await delivery.getByText("Quittance can't be reached").waitFor();
    await page.unroute("**/v1/webhooks/*/retry");
    await page.reload();
    await again.press("Enter");
    await delivery.getByText("Delivered").waitFor();
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    await shown.close();
  });

  it("can be read by a viewer, who sends nothing again", async () => {
    const { id: orderId } = await world.comesToRest((await payer.pays(20_000)).id);
    const path = `/v1/events?objectId=${orderId}&type=payment_order.completed`;
    const id = await until("the event", async () => {
      const { body } = await world.get<{ data: { id: string }[] }>(path);
      return body.data[0]?.id;
    });
    const shown = await dashboard.as("vera", `/webhooks/events/${id}`);
    await shown.page.getByText("amountCents: 20000").waitFor();
    await shown.page.getByRole("table", { name: "Deliveries of the event" }).waitFor();
    expect(await shown.page.getByRole("button", { name: "Send again" }).count()).toBe(0);
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});

describe("a signature", () => {
  it("is checked in the page, which says what is wrong and neither sends nor keeps the secret", async () => {
    const endpoint = await endpointAnswering(200);
    await world.comesToRest((await payer.pays(10_000)).id);
    const { body, headers } = await firstRequestOf(endpoint);
    const shown = await dashboard.as("vera", `/webhooks/endpoints/${endpoint.id}`);
    const { page } = shown;
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
    const field = (name: string) => page.getByLabel(name, { exact: true });
    const check = async (values: Readonly<Record<string, string>>, verdict: string) => {
      for (const [name, value] of Object.entries(values)) await field(name).fill(value);
      await page.getByRole("button", { name: "Check" }).press("Enter");
      await page.getByText(verdict).waitFor();
    };
    const right = {
      Body: body,
      Signature: headers["x-service-signature"] ?? "",
      "Your receiver's secret": endpoint.signingSecret,
    };
    await check(right, "The signature is right: your receiver has the right secret");
    const pretty = JSON.stringify(JSON.parse(body), null, 2);
    await check({ Body: pretty }, "the JSON that was sent, but written in another way");
    await check({ Body: Buffer.from(body).toString("base64") }, "This body is in base64");
    await check(
      { Body: body, "Your receiver's secret": endpoint.signingSecret.slice("whsec_".length) },
      "or lacks “whsec_”",
    );
    await check({ ...right, Signature: right.Signature.toUpperCase() }, "in another encoding");
    await check({ ...right, Signature: "none" }, "This is no signature.");
    await check({ ...right, Signature: headers["webhook-signature"] ?? "" }, "paste both");
    await check(
      {
        "webhook-id": headers["webhook-id"] ?? "",
        "webhook-timestamp": headers["webhook-timestamp"] ?? "",
      },
      "The signature is right: your receiver has the right secret",
    );
    await page.clock.setFixedTime(Date.now() + 600_000);
    await check({}, "older than five minutes");
    expect(await screenFaults(shown)).toEqual([]);

    const other = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    await check({ ...right, "Your receiver's secret": other }, "This secret did not sign this body.");
    await page.getByRole("button", { name: "Compare with what was sent" }).press("Enter");
    await page.getByText("so your receiver has another secret. Secret 1 of this endpoint").waitFor();
    await check({ Body: body.replace("10000", "90000") }, "This secret did not sign this body.");
    await page.getByRole("button", { name: "Compare with what was sent" }).press("Enter");
    await page.getByText("Somebody changed the body after we signed it").waitFor();
    await page.getByText(`It differs from byte ${String(body.indexOf("10000"))} on.`).waitFor();

    const stored = await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
    );
    for (const text of [...sent, stored]) expect(text).not.toContain("whsec_");
    expect(shown.faults).toEqual([]);
    await shown.discard();
  });
});
