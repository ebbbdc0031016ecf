/** What the screen of approvals says while its inbox can't be read. */
import { expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { unavailable } from "../problems.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Operating");

it("an empty list says that it can't know what waits while orders is away", async () => {
  // Nothing waits for somebody who may not approve.
  const shown = await dashboard.as("vera", "/approvals");
  const { page } = shown;
  const nothing = page.getByText("Nothing waits for you");
  await nothing.waitFor();
  await page.route("**/v1/inbox", (route) => route.fulfill(unavailable));
  // The stream reports the payment, and the page reads again.
  await payer.pays(100);
  const unknown = page.getByText("What waits can't be read now");
  await unknown.waitFor();
  expect(await nothing.count()).toBe(0);
  await page.getByRole("button", { name: "Waiting for others" }).click();
  expect(await unknown.isVisible()).toBe(true);
  expect(await page.getByText("Nothing waits for others").count()).toBe(0);
  expect(await screenFaults(shown, [503])).toEqual([]);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.getByText("Nothing waits for others").waitFor();
  await page.getByRole("button", { name: "Needs me" }).click();
  await nothing.waitFor();
  await shown.close();
});
