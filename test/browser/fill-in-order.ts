import type { Page } from "playwright-core";

/** Fills in the form of a new order: an RTP payment from Operating. */
export async function fillInOrder(page: Page, amount: string): Promise<void> {
  await page.getByLabel("Rail").selectOption("Rtp");
  await page.getByLabel("Amount in US dollars").fill(amount);
  await page.getByLabel("From your account").fill("Operating");
  await page.getByLabel("Paid to").fill("Meridian Fuel Supply");
  await page.getByLabel("Account number").fill("000123456789");
  await page.getByLabel("Routing number").fill("790001005");
}
