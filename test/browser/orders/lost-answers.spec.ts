/** What a page does while it does not know what became of a write. */
import { expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { Taxpayer } from "../../world/taxpayer.ts";
import { Dashboard } from "../dashboard.ts";
import { fillInOrder } from "../fill-in-order.ts";
import { holdAnswer } from "../hold-answer.ts";
import { loseAnswers } from "../lose-answers.ts";
import { forbidden, sessionEnded } from "../problems.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
await world.payerNamed("Operating");

/** The notes of the orders with this amount, newest first. */
async function notesOf(cents: number): Promise<(string | null)[]> {
  const { body } = await world.get<{ data: { amountCents: number; description: string | null }[] }>(
    "/v1/payment-orders",
  );
  return body.data.filter(({ amountCents }) => amountCents === cents).map(({ description }) => description);
}

it("sends an order once, although its form is edited before the answer has come", async () => {
  const shown = await dashboard.as("maya", "/orders/new");
  const { page } = shown;
  await fillInOrder(page, "81.00");
  const release = await holdAnswer(page, "/v1/payment-orders");
  await page.getByRole("button", { name: "Send $81.00" }).click();
  const asking = page.getByRole("button", { name: "Asking…" });
  await asking.waitFor();
  await page.getByLabel("Note (optional)").fill("October");
  expect(await asking.isDisabled()).toBe(true);
  release();
  await page.waitForURL(/\/orders\/po_/);
  expect(await notesOf(8_100)).toEqual([null]);
  await shown.close();
});

it("shows a new order at once, although other reads of the page get no answer", async () => {
  const shown = await dashboard.as("maya", "/orders/new");
  const { page } = shown;
  await fillInOrder(page, "82.00");
  await page.getByRole("row", { name: "Held $0.00 $82.00" }).waitFor();
  await page.route("**/v1/ledger-accounts?*", () => new Promise(() => undefined));
  await page.getByRole("button", { name: "Send $82.00" }).click();
  await page.waitForURL(/\/orders\/po_/);
  expect(await notesOf(8_200)).toEqual([null]);
  await shown.discard();
});

it("says that an order without an answer may exist, and makes it once also if another one was sent in between", async () => {
  const shown = await dashboard.as("maya", "/orders/new");
  const { page } = shown;
  const countLost = await loseAnswers(page, "/v1/payment-orders", 2);
  const note = page.getByLabel("Note (optional)");
  const send = page.getByRole("button", { name: "Send $83.00" });
  await fillInOrder(page, "83.00");
  await send.click();
  const warning = page.getByText("This order may already exist.");
  await warning.waitFor();
  await note.fill("October");
  expect(await warning.isVisible()).toBe(true);
  await send.click();
  await until("the second answer to get lost", async () => (await countLost()) === 2);
  await note.fill("");
  await send.click();
  await page.waitForURL(/\/orders\/po_/);
  expect(await notesOf(8_300)).toEqual(["October", null]);
  await shown.close();
});

it.each([
  ["makes an order anew that another person sends", "maker", "85.00", ["maker", "maya"]],
  ["makes an order once that the same person sends again", "maya", "86.00", ["maya"]],
] as const)("%s in the tab of a session that ended without the answer", async (_, next, amount, makers) => {
  const shown = await dashboard.as("maya", "/orders/new");
  const { page } = shown;
  const countLost = await loseAnswers(page, "/v1/payment-orders", 1);
  const send = async () => {
    await fillInOrder(page, amount);
    await page.getByRole("button", { name: `Send $${amount}` }).click();
  };
  await send();
  await until("the answer to get lost", async () => (await countLost()) === 1);
  const { email, password } = await dashboard.credentialsOf(next);
  await page.context().clearCookies();
  await page.reload();
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await send();
  await page.waitForURL(/\/orders\/po_/);
  const { body } = await world.get<{ data: { amountCents: number; createdBy: string }[] }>(
    "/v1/payment-orders",
  );
  const made = body.data.filter(({ amountCents }) => amountCents === Number(amount) * 100);
  expect(made.map(({ createdBy }) => createdBy)).toEqual(makers);
  await shown.close();
});

it.each([
  ["the session was over", sessionEnded],
  ["the person lacked a scope", forbidden],
])(
  "makes an account number once whose answer was lost, also if its repeat was refused because %s",
  async (_, refusal) => {
    const path = "/v1/virtual-accounts";
    const name = `Lost ${String(refusal.status)}`;
    const shown = await dashboard.as("maya", "/virtual-accounts?ledgerAccountName=Operating");
    const { page } = shown;
    await page.getByRole("button", { name: "Create a virtual account" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByLabel("Name").fill(name);
    const countLost = await loseAnswers(page, path, 1);
    const submit = sheet.getByRole("button", { name: "Create the number" });
    const unreachable = sheet.getByText("Quittance can't be reached");
    await submit.click();
    await unreachable.waitFor();
    expect(await countLost()).toBe(1);
    await page.route(`**${path}`, (route) => route.fulfill(refusal), { times: 1 });
    await submit.click();
    await unreachable.waitFor({ state: "hidden" });
    await submit.click();
    await page.waitForURL(/virtual-accounts\/va_/);
    const { body } = await world.get<{ data: { name: string }[] }>(path);
    expect(body.data.filter((made) => made.name === name)).toHaveLength(1);
    await shown.close();
  },
);

it("pays an obligation again whose first payment has failed, also if that answer was lost", async () => {
  const payer = await world.payerNamed("Empty", "Refused");
  const taxpayer = new Taxpayer(world, payer);
  const { id } = await taxpayer.owes(8_400, await taxpayer.payee());
  const shown = await dashboard.as("maya", `/obligations/${id}`);
  const { page } = shown;
  const countLost = await loseAnswers(page, `/v1/obligations/${id}/remit`, 1);
  const pay = async () => {
    await page.getByRole("button", { name: "Pay $84.00…" }).click();
    await page.getByLabel("From your account").fill("Empty");
    await page.getByRole("button", { name: "Pay $84.00", exact: true }).click();
  };
  await pay();
  await until("the answer to get lost", async () => (await countLost()) === 1);
  await until("the payment to fail", async () => {
    const { body } = await world.get<{ status: string }>(`/v1/obligations/${id}`);
    return body.status === "Fixed" && (await notesOf(8_400)).length === 1;
  });
  await page.reload();
  await pay();
  await until("a second order", async () => (await notesOf(8_400)).length === 2);
  expect(shown.faults.filter((fault) => !fault.startsWith("logged: "))).toEqual([]);
  await shown.close();
});

it("pauses an endpoint again that was enabled since, also if the first answer was lost", async () => {
  const { body } = await world.post<{ id: string }>("/v1/webhook-endpoints", {
    url: "https://hooks.example/paused",
    eventTypes: ["*"],
  });
  const path = `/v1/webhook-endpoints/${body.id}`;
  const reaches = (status: string) =>
    until(`the endpoint to be ${status}`, async () => {
      const endpoint = await world.get<{ status: string }>(path);
      return endpoint.body.status === status;
    });
  const shown = await dashboard.as("maya", `/webhooks/endpoints/${body.id}`);
  const { page } = shown;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await button("Disable").waitFor();
  const countLost = await loseAnswers(page, path, 1);
  await button("Disable").click();
  await reaches("Disabled");
  await until("the answer to get lost", async () => (await countLost()) > 0);
  expect(await countLost()).toBe(1);
  await button("Enable").click();
  await button("Add a passkey").click();
  await reaches("Enabled");
  await button("Disable").click();
  await reaches("Disabled");
  await shown.close();
});
