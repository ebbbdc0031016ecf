import { until } from "../../stack/until.ts";
import { sendPatiently, type Sends } from "./patiently.ts";

const path = "/v1/webhook-endpoints";

/** Creates an endpoint. Only the first answer shows the whole secret: if it was lost, creates another endpoint. */
export function createEndpoint(
  world: Sends,
  key: string,
  body: { url: string; eventTypes: readonly string[] },
): Promise<{ id: string; signingSecret: string }> {
  return until("an endpoint with its whole secret", async () => {
    const made = await sendPatiently<{ id: string; signingSecret: string }>(world, key, "POST", path, {
      body,
    });
    if (made.status !== 201) throw new Error(`the endpoint was refused: ${JSON.stringify(made.body)}`);
    if (!made.body.signingSecret.includes("…")) return made.body;
    await sendPatiently(world, key, "DELETE", `${path}/${made.body.id}`);
    return undefined;
  });
}
