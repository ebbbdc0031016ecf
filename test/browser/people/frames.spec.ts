/** Pages of other sites that try to show or use the dashboard, in a browser. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;

/** Another site: 127.0.0.1 is one beside localhost. */
const site = createServer((request, response) => {
  const path = decodeURIComponent(request.url ?? "/").slice(1);
  response.writeHead(200, { "content-type": "text/html" }).end(path);
});
await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
afterAll(() => new Promise((resolve) => site.close(resolve)));
const siteUrl = (html: string) =>
  `http://127.0.0.1:${String((site.address() as AddressInfo).port)}/${encodeURIComponent(html)}`;

describe("another site", () => {
  it("can't frame a page of somebody who is signed in", async () => {
    const shown = await dashboard.as("noor", "/approvals");
    const { page } = shown;
    await page.goto(siteUrl(`<iframe src="${dashboard.url("/approvals")}"></iframe>`));
    await page.waitForLoadState("networkidle");
    const [, frame] = page.frames();
    expect(await frame?.locator("main").count()).toBe(0);
    expect(shown.faults.join("\n")).toContain("frame-ancestors");
    await shown.close();
  });

  it("can't post a form in the name of somebody who is signed in", async () => {
    const payer = await world.payerNamed("Framed");
    const { id } = (
      await world.post<{ id: string }>("/v1/payment-orders", payer.body(1_000, "Wire", { submit: false }))
    ).body;
    const shown = await dashboard.as("maya", "/orders");
    const { page } = shown;
    const action = new URL(`/v1/payment-orders/${id}/submit`, dashboard.url("/")).href;
    await page.goto(
      siteUrl(`<form method="post" enctype="text/plain" action="${action}"><button>Win</button></form>`),
    );
    const [answer] = await Promise.all([
      page.waitForResponse(action),
      page.getByRole("button", { name: "Win" }).click(),
    ]);
    // Without the cookie: the browser does not send it to us from another site.
    expect(answer.status()).toBe(401);
    expect((await world.order(id)).status).toBe("Draft");
    await shown.close();
  });
});
