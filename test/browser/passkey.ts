/** A device of a test's person, which makes passkeys and signs with them by itself. */
import type { CDPSession, Page } from "playwright-core";

/**
 * Adds a virtual authenticator to the page, until the session is detached. The person is asked nothing, and always says
 * yes.
 */
export async function attachPasskeyDevice(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return session;
}

/** Opens the sheet of a decision, and makes the passkey that the first decision of a person needs. */
export async function openApproval(page: Page, amount: string, opens = `Approve ${amount}`): Promise<void> {
  const approve = page.getByRole("dialog").getByRole("button", { name: `Approve ${amount}` });
  await page.getByRole("button", { name: opens }).click();
  await approve.click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await approve.waitFor();
}

/** Makes the passkey that the first decision of a person needs, by the keyboard. Then the focus is on the decision. */
export async function addPasskeyByKeyboard(page: Page, decision: string): Promise<void> {
  await page.getByLabel("Name of the new passkey").press("Enter");
  await page.locator("button:focus", { hasText: decision }).waitFor();
}
