import type { ErrorCode } from "../../../contracts/errors.ts";
import type { RefusalCase } from "./scenario.ts";

/** Refusals of webhook endpoints. */
export const refusalsOfWebhooks: Partial<Record<ErrorCode, RefusalCase>> = {
  webhook_secret_limit: async ({ send }) => {
    const { id } = await send("/v1/webhook-endpoints", { body: { url: "http://127.0.0.1:9/hooks" } });
    const rotate = () => send(`/v1/webhook-endpoints/${String(id)}/rotate-secret`, { method: "POST" });
    for (let active = 1; active < 5; active += 1) await rotate();
    return rotate();
  },
};
