/** The NATS that NATS_URL names: somebody else runs it, and it may still be starting. */
import { setTimeout as delay } from "node:timers/promises";
import { AuthorizationError } from "@nats-io/transport-node";
import { connectNatsWithin, withoutCredentials } from "../../../services/platform/nats/connection.ts";
import { rejectNoAddress } from "./nats-address.ts";

export interface Patience {
  /** After this time it says what it waits for. */
  readonly quietMs: number;
  readonly giveUpAfterMs: number;
}

const retryDelayMs = 250;

/** Resolves when the operator can connect. Throws an error that says what to do if that takes too long. */
export async function waitForGivenNats(
  url: string,
  operatorPassword: string,
  say: (line: string) => void,
  { quietMs, giveUpAfterMs }: Patience = { quietMs: 2_000, giveUpAfterMs: 20_000 },
): Promise<void> {
  rejectNoAddress(url);
  const settings = { NATS_URL: url, NATS_USER: "operator", NATS_PASSWORD: operatorPassword };
  const server = withoutCredentials(url);
  const seconds = String(giveUpAfterMs / 1_000);
  const endsAt = Date.now() + giveUpAfterMs;
  const talk = setTimeout(() => say(`waiting up to ${seconds} s for NATS at ${server} (NATS_URL)`), quietMs);
  try {
    for (;;) {
      const failure = await attempt(settings, endsAt - Date.now());
      if (failure === undefined) return;
      if (failure instanceof AuthorizationError)
        throw new Error(
          `${server} (NATS_URL) refuses the user operator: give it the users and passwords of .local/secrets.json`,
          { cause: failure },
        );
      if (Date.now() + retryDelayMs >= endsAt)
        throw new Error(`no NATS at ${server} after ${seconds} s: start it, or unset NATS_URL`, {
          cause: failure,
        });
      await delay(retryDelayMs);
    }
  } finally {
    clearTimeout(talk);
  }
}

async function attempt(
  settings: Parameters<typeof connectNatsWithin>[1],
  withinMs: number,
): Promise<unknown> {
  try {
    const nats = await connectNatsWithin(withinMs, settings);
    await nats.close();
    return undefined;
  } catch (error) {
    return error;
  }
}
