/** The ten minutes of docs/dashboard.md, as its reader spends them: each step is the page's own sentence. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openAccount } from "../../../scripts/local/demo/first-payment.ts";
import { seedPeople } from "../../../scripts/local/demo/demo-people.ts";
import { projectRoot } from "../../../services/platform/runtime/project-root.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { OwnWorld } from "../../world/system/own-world.ts";
import { gatewayDatabaseUrl } from "../../world/world.ts";
import { TestBrowser } from "../browser.ts";

const world = await forThisFile(OwnWorld.start({ isPatient: true, env: { DEMO_SIGN_IN: "true" } }));
const browser = await forThisFile(TestBrowser.start());

const numberedLines = (text: string) => [...text.matchAll(/^\d+\. (.*)$/gm)].map(([, step = ""]) => step);
const read = (file: string) => readFile(join(projectRoot, file), "utf8");

/** The numbered steps of the page, without their emphasis. */
async function stepsOfThePage(): Promise<string[]> {
  const text = await read("docs/dashboard.md");
  const section = text.split("\n## ").find((part) => part.startsWith("An approved wire")) ?? "";
  return numberedLines(section).map((step) => step.replaceAll("**", ""));
}

/** What the README's short form tells people to choose, to type and to expect, in its order. */
async function wordsOfTheReadme(): Promise<string[]> {
  const [, section = ""] = (await read("README.md")).split("**For people:**");
  const [steps = ""] = section.split("**Guides:**");
  return [
    ...numberedLines(steps)
      .join("\n")
      .matchAll(/\*\*(.+?)\*\*|(\d[\d,.]*\d)/g),
  ].map(([, choice, number]) => choice ?? number ?? "");
}

const choose = (page: Page, name: string) => page.getByRole("button", { name }).click();
const follow = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click();

/** The list of orders has a field "Rail", too, and stays until the form's own code has come. */
async function openNewOrder(page: Page): Promise<void> {
  await follow(page, "Orders");
  await follow(page, "New order");
  await page.getByRole("heading", { name: "New order" }).waitFor();
}

async function signOut(page: Page, name: string): Promise<void> {
  await choose(page, name);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
}

async function fillIn(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
}

const bank = { "Account number": "000123456789", "Routing number": "790001005" };

async function openSheet(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Approvals" }).click();
  await page.getByText("Ada Example").first().click();
  await choose(page, "Approve $1,800.00");
  await page.getByRole("dialog").getByRole("button", { name: "Approve $1,800.00" }).click();
}

async function addPasskeyAndApprove(page: Page): Promise<void> {
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: "Add a passkey" }).click();
  await sheet.getByRole("button", { name: "Approve $1,800.00" }).click();
  await sheet.getByText("approved", { exact: true }).waitFor();
}

const steps: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  [
    "Open the address, and choose Maya Lindqvist. She makes payments.",
    (page) => choose(page, "Maya Lindqvist"),
  ],
  [
    "Choose Orders, then New order. Rail: Wire. Amount: 1,800.00. From your account: Operating. Paid to: Ada Example. Account number: 000123456789. Routing number: 790001005. Beside the form you see that it needs the approvals of 2 people.",
    async (page) => {
      await openNewOrder(page);
      await page.getByLabel("Rail").selectOption({ label: "Wire" });
      await fillIn(page, {
        "Amount in US dollars": "1,800.00",
        "From your account": "Operating",
        "Paid to": "Ada Example",
        ...bank,
      });
      await page.getByText("2 people").waitFor();
    },
  ],
  [
    "Choose Send $1,800.00. The order's page says It waits for approval.",
    async (page) => {
      await choose(page, "Send $1,800.00");
      await page.getByText("It waits for approval.").waitFor();
    },
  ],
  [
    "In the menu at Maya's name, choose Sign out. Then choose Noor Rahman, who approves.",
    async (page) => {
      await signOut(page, "Maya Lindqvist");
      await choose(page, "Noor Rahman");
    },
  ],
  [
    "Under Approvals, choose the wire to Ada Example. Read whom it pays, why it needs approvals and what it does to Operating. Choose Approve $1,800.00, and again in the sheet that opens.",
    openSheet,
  ],
  [
    "Noor has no passkey yet: choose Add a passkey, and confirm it as your device asks. Choose Approve $1,800.00 once more, confirm, and see approved.",
    async (page) => {
      await addPasskeyAndApprove(page);
      await page.getByRole("button", { name: "Close" }).click();
    },
  ],
  [
    "Sign out, choose Omar Haddad, and approve the wire in the same way.",
    async (page) => {
      await signOut(page, "Noor Rahman");
      await choose(page, "Omar Haddad");
      await openSheet(page);
      await addPasskeyAndApprove(page);
      await page.getByRole("button", { name: "Close" }).click();
    },
  ],
  [
    "Choose Orders, and open the wire. It says Completed. Below it, each step is listed with its time and who did it.",
    async (page) => {
      await follow(page, "Orders");
      await follow(page, "Ada Example");
      await page.getByText("Completed.", { exact: true }).waitFor();
      await page.getByText("omar").last().waitFor();
    },
  ],
  [
    "Sign out, and choose Maya Lindqvist again. Choose Orders, then New order, then Collect money. Rail: ACH. Amount: 25.00. Into your account: Operating. The other details as before. Choose Collect $25.00, and wait for Completed.",
    async (page) => {
      await signOut(page, "Omar Haddad");
      await choose(page, "Maya Lindqvist");
      await openNewOrder(page);
      await page.getByLabel("Direction").selectOption({ label: "Collect money" });
      await page.getByLabel("Rail").selectOption({ label: "ACH" });
      await fillIn(page, {
        "Amount in US dollars": "25.00",
        "Into your account": "Operating",
        "Collected from": "Ada Example",
        ...bank,
      });
      await choose(page, "Collect $25.00");
      await page.getByText("Completed.", { exact: true }).waitFor();
    },
  ],
  [
    "Choose Send again, return with R01. A copy of the order goes to the bank, which returns it: The other bank returned it: insufficient funds.",
    async (page) => {
      await page.getByRole("button", { name: "Send again, return with R01", exact: true }).click();
      await page.getByText("The other bank returned it: insufficient funds.").waitFor();
    },
  ],
];

describe("the ten minutes of docs/dashboard.md", () => {
  it("are these steps", async () => {
    expect(await stepsOfThePage()).toEqual(steps.map(([step]) => step));
  });

  it("are in the README in short, with the same words and numbers", async () => {
    const words = await wordsOfTheReadme();
    expect(words).toContain("Send again, return with R01");
    const page = (await stepsOfThePage()).join("\n");
    expect(words.filter((word) => !page.includes(word))).toEqual([]);
  });

  it("lead from the sign-in to an approved wire, and to a return with R01", async () => {
    await openAccount(world.baseUrl(), world.tenant.keys.maker, "Operating");
    await seedPeople(gatewayDatabaseUrl(world.system), world.tenant.tenant.id);
    const shown = await browser.open();
    await shown.goto(world.baseUrl().replace("127.0.0.1", "localhost"));
    for (const [, act] of steps) await act(shown.page);
    // 401 before anybody has signed in, 403 at the first decisions of Noor and Omar, who have no passkey yet.
    expect(shown.faults.filter((fault) => !/ status of 40[13] /.test(fault))).toEqual([]);
    await shown.close();
  });
});
