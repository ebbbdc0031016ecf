/**
 * A page of another port of our own host, in a browser. To a browser that is the same site: it sends the session's
 * cookie along, and only the gateway can tell that the request is not of our page.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Same site");

const neighbour = createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end("<title>A neighbour</title>");
});
await new Promise<void>((resolve) => neighbour.listen(0, "localhost", resolve));
afterAll(() => new Promise((resolve) => neighbour.close(resolve)));
const neighbourUrl = `http://localhost:${String((neighbour.address() as AddressInfo).port)}/`;

const ordersUrl = new URL("/v1/payment-orders", dashboard.url("/")).href;
const body = JSON.stringify(payer.body(1_000, "Wire", { submit: false }));

/** Fetches as any page can: the browser sends the request, and hides the answer from the page. */
const send = ({ url, ...init }: { url: string; method: "GET" | "POST"; body?: string }) =>
  void fetch(url, { ...init, mode: "no-cors", credentials: "include" });

/** A script that sends a form as text. A form sends `name=value`, and here the whole of that is JSON. */
const formScript = (url: string, text: string) => `
  const form = document.createElement("form");
  Object.assign(form, { method: "post", enctype: "text/plain", action: ${JSON.stringify(url)} });
  const name = ${JSON.stringify(`${text.slice(0, -1)},"x":"`)};
  form.append(Object.assign(document.createElement("input"), { name, value: '"}' }));
  document.body.append(form);
  form.submit();`;

async function statusOf(page: Page, act: () => Promise<unknown>): Promise<number> {
  const [response] = await Promise.all([page.waitForResponse(ordersUrl), act()]);
  return response.status();
}

async function ordersOfTheBook(): Promise<unknown[]> {
  return (await world.get<{ data: unknown[] }>("/v1/payment-orders")).body.data;
}

/** Not the 401 of a request without the cookie. */
const refused = 403;

describe("a page of another port of our host", () => {
  it("writes nothing with fetch in the name of somebody who is signed in", async () => {
    const shown = await dashboard.as("maya", "/orders");
    await shown.page.goto(neighbourUrl);
    const act = () => shown.page.evaluate(send, { url: ordersUrl, method: "POST" as const, body });
    expect(await statusOf(shown.page, act)).toBe(refused);
    expect(await ordersOfTheBook()).toEqual([]);
    await shown.close();
  });

  it("writes nothing with a form", async () => {
    const shown = await dashboard.as("maya", "/orders");
    await shown.page.goto(neighbourUrl);
    const act = () => shown.page.evaluate(formScript(ordersUrl, body));
    expect(await statusOf(shown.page, act)).toBe(refused);
    // The browser shows the answer to a form, unlike the answer to a fetch.
    await shown.page.getByText("cross_site_request").waitFor();
    expect(await ordersOfTheBook()).toEqual([]);
    await shown.close();
  });

  it("reads nothing", async () => {
    const shown = await dashboard.as("maya", "/orders");
    await shown.page.goto(neighbourUrl);
    const act = () => shown.page.evaluate(send, { url: ordersUrl, method: "GET" as const });
    expect(await statusOf(shown.page, act)).toBe(refused);
    await shown.close();
  });

  it.each([
    { missing: "Origin", header: "sec-fetch-site", value: "same-origin" },
    { missing: "Sec-Fetch-Site", header: "origin", value: new URL(ordersUrl).origin },
  ])("writes nothing where $missing alone tells that it is another page", async ({ header, value }) => {
    const shown = await dashboard.as("maya", "/orders");
    const { page } = shown;
    const answer = await answerAs(page, { [header]: value });
    expect(answer).toMatchObject({ status: 403, code: "cross_site_request" });
    expect(await ordersOfTheBook()).toEqual([]);
    await shown.close();
  });
});

/** The gateway's answer to the neighbour's request, of which one header is replaced by that of our own page. */
async function answerAs(page: Page, header: Record<string, string>) {
  await page.goto(neighbourUrl);
  let answer: unknown;
  await page.route(ordersUrl, async (route) => {
    const headers = {
      ...(await route.request().allHeaders()),
      ...header,
      "content-type": "application/json",
    };
    const got = await fetch(ordersUrl, { method: "POST", headers, body });
    answer = { status: got.status, code: ((await got.json()) as { code?: unknown }).code };
    await route.abort();
  });
  await Promise.all([
    page.waitForEvent("requestfailed"),
    page.evaluate(send, { url: ordersUrl, method: "POST" as const, body }),
  ]);
  return answer;
}
