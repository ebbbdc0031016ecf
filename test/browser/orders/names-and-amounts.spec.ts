/** The largest amounts and the worst names that the API takes, on the screens on which people decide and pay. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const largestCents = 999_999_999_999;
const largest = "$9,999,999,999.99";
/** How often two frames are waited for: a chart is drawn anew after its box has its new width. */
const looks = 50;
const markup = `<img src=x onerror=alert(1)>${"W".repeat(72)}`;
const payer = await world.payerNamed("W".repeat(100));

async function waitingWire(counterpartyName: string, externalId: string): Promise<string> {
  const description = "M".repeat(100);
  const body = payer.body(largestCents, "Wire", { counterpartyName, description, externalId });
  const made = await world.post<{ id: string }>("/v1/payment-orders", body);
  expect(made).toMatchObject({ status: 201 });
  await world.reaches(made.body.id, ({ awaiting }) => awaiting === "Approval");
  return made.body.id;
}

/** What runs out of its box, and each amount on several lines, once the page has taken its new width. */
async function misfits(page: Page, width: number): Promise<unknown> {
  await page.setViewportSize({ width, height: 800 });
  let found = await misfitsNow(page);
  for (let look = 0; found.length > 0 && look < looks; look += 1) {
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    found = await misfitsNow(page);
  }
  return found;
}

function misfitsNow(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const isShown = (part) => part.getClientRects().length > 0;
    const wide = [...document.querySelectorAll("#content .card, #content .detail, #content .inbox, #content .row")]
      .filter((part) => isShown(part) && part.scrollWidth > part.clientWidth)
      .map((part) => part.className + " is too narrow: " + part.innerText.slice(0, 80));
    const broken = [...document.querySelectorAll("#content .num:not(time)")].filter(isShown).flatMap((part) =>
      [...part.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).flatMap((node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom)));
        return lines.size > 1 ? [node.textContent + " is on " + lines.size + " lines"] : [];
      }));
    return [...wide, ...broken];
  })()`);
}

describe("the largest amount that an order can have", () => {
  it("is shown whole and on one line, on a screen of 1280 pixels and on a phone", async () => {
    const id = await waitingWire(markup, "largest");
    const obligation = { name: "Largest", lines: [{ description: markup, amountCents: largestCents }] };
    await world.post("/v1/obligations", obligation);
    const shown = await dashboard.as("noor", "/approvals");
    const { page } = shown;
    const screens = [
      ["/approvals", largest],
      [`/approvals?order=${id}`, `−${largest}`],
      [`/orders/${id}`, largest],
      [`/ledger/${payer.accountId}`, `−${largest}`],
      ["/obligations", "Obligations"],
    ] as const;
    for (const [path, text] of screens) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(dashboard.url(path));
      await page.locator("#content").getByText(text).first().waitFor();
      expect([path, await misfits(page, 1280), await misfits(page, 320)]).toEqual([path, [], []]);
    }
    await page.goto(dashboard.url(`/approvals?order=${id}`));
    await page.getByText("What it does to").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("is shown whole in the preview of a new order", async () => {
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    await page.getByLabel("Rail").selectOption("Wire");
    await page.getByLabel("Amount in US dollars").fill(largest.slice(1));
    await page.getByLabel("From your account").fill("W".repeat(100));
    await page.getByLabel("Paid to").fill(markup);
    await page.getByLabel("Account number").fill("000123456789");
    await page.getByLabel("Routing number").fill("790001005");
    await page.getByRole("cell", { name: largest }).first().waitFor();
    expect([await misfits(page, 1280), await misfits(page, 320)]).toEqual([[], []]);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });
});

describe("a name that would deceive", () => {
  const reversed = "\u202Eylppus leuF";
  const visibly = "⟨U+202E⟩ylppus leuF";

  /** The gateway refuses such a name, but a book may have one from before it did. */
  async function nameInAnswers(page: Page, id: string): Promise<void> {
    const order = await world.order(id);
    await page.route(`**/v1/payment-orders/${id}`, (route) =>
      route.fulfill({ json: { ...order, counterpartyName: reversed, description: reversed } }),
    );
    const counterparty = {
      id: "cp_01m80104nre2btytj23x2xz26p",
      name: reversed,
      accounts: [{ rail: "Wire" }],
    };
    await page.route("**/v1/counterparties?*", (route) =>
      route.fulfill({ json: { data: [counterparty], hasMore: false, nextCursor: null } }),
    );
  }

  it("is shown with its hidden characters, and runs as no markup", async () => {
    const id = await waitingWire(markup, "reversed");
    const shown = await dashboard.as("maya", `/approvals?order=${id}`);
    const { page } = shown;
    await page.getByText(`to ${markup}`).first().waitFor();
    await nameInAnswers(page, id);
    for (const path of [`/approvals?order=${id}`, `/orders/${id}`]) {
      await page.goto(dashboard.url(path));
      await page.locator("#content").getByText(visibly).first().waitFor();
      expect(await page.locator("#content").innerText()).not.toContain("\u202E");
      expect(await misfits(page, 320)).toEqual([]);
    }
    await page.goto(dashboard.url("/orders/new"));
    await page.getByLabel("Rail").selectOption("Wire");
    await page.getByLabel("Counterparty").selectOption(visibly);
    expect(await page.locator("#content img").count()).toBe(0);
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("is shown with letters that only look Latin, and with marks that pile up, as their code", async () => {
    for (const name of [
      "\u041Eperating",
      "Cascade \u0410\u0421\u0415",
      `Fuel q${"\u0301".repeat(5)}`,
      "Ромашка LLC",
    ])
      expect(await world.post("/v1/ledger-accounts", { name })).toMatchObject({ status: 201 });
    const shown = await dashboard.as("maya", "/ledger");
    const { page } = shown;
    await page.getByText("⟨U+041E⟩perating").waitFor();
    await page.getByText("Cascade ⟨U+0410⟩⟨U+0421⟩⟨U+0415⟩").waitFor();
    await page.getByText(`Fuel q${"\u0301".repeat(3)}⟨U+0301⟩⟨U+0301⟩`).waitFor();
    await page.getByText("Ромашка LLC").waitFor();
    expect(await misfits(page, 320)).toEqual([]);
    await shown.close();
  });
});
