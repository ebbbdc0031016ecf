import { request } from "undici";
import { describe, expect, it } from "vitest";
import { invite } from "../../world/people.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
const vera = await invite(world, "vera");

/** Follows the Test book as Vera's page does. */
async function follow(): Promise<{ text: string }> {
  const ownPage = { "sec-fetch-site": "same-origin", origin: world.baseUrl() };
  const signedIn = await fetch(`${world.baseUrl()}/auth/sign-in`, {
    method: "POST",
    headers: { ...ownPage, "content-type": "application/json" },
    body: JSON.stringify(vera),
  });
  const [cookie = ""] = (signedIn.headers.get("set-cookie") ?? "").split(";", 1);
  // A world's fetch reads each answer to its end, and this one has none.
  const { body } = await request(`${world.baseUrl()}/v1/stream`, {
    headers: { ...ownPage, cookie, "quittance-mode": "Test" },
  });
  await forThisFile({ close: () => body.destroy() });
  const stream = { text: "" };
  body.setEncoding("utf8");
  body.on("data", (text: string) => (stream.text += text)).on("error", () => undefined);
  await until("the first event", () => stream.text);
  return stream;
}

describe("a screen that follows a book", () => {
  it("learns of each change of an order, and nothing about it but its id", async () => {
    const stream = await follow();
    const payer = await world.payerWith(usd("5000.00"));
    // Its digits are too many to occur in an id.
    const amountCents = usd("4711.93");
    const order = await payer.pays(amountCents);
    await world.comesToRest(order.id);
    const last = await until("the order's change", () => stream.text.includes(order.id));
    expect(last).toBe(true);
    expect(stream.text).not.toContain(String(amountCents));
  });

  it("learns that a receiver was asked, although no order changed", async () => {
    const payer = await world.payerWith(usd("50.00"));
    await world.comesToRest((await payer.pays(usd("10.00"))).id);
    const { body } = await world.get<{ data: { id: string }[] }>("/v1/webhooks?status=Delivered");
    const stream = await follow();
    await world.post(`/v1/webhooks/${body.data[0]?.id ?? ""}/retry`);
    expect(await until("the change", () => /"type":"webhooks","id":"book_/.test(stream.text))).toBe(true);
  });
});
