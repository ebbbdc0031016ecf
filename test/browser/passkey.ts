/** A device of a test's person, which makes passkeys and signs with them by itself. */
import type { Page } from "playwright-core";

/** Adds a virtual authenticator to the page. The person is asked nothing, and always says yes. */
export async function attachPasskeyDevice(page: Page): Promise<void> {
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
}
