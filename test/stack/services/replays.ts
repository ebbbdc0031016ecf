/** Replays of webhooks, made and worked off. */
import { webhookReplayCreate, type WebhookReplay } from "../../../contracts/http/webhooks/replays.ts";
import { IdempotentReplay, type RequestContext } from "../../../services/platform/handlers/decorators.ts";
import type { WebhooksInstance } from "./webhooks.ts";

const hour = 3_600_000;

/** From an hour ago to an hour ahead, in real time. */
export const recently = () => ({
  since: new Date(Date.now() - hour).toISOString(),
  until: new Date(Date.now() + hour).toISOString(),
});

/** Asks for a replay, of the last hour unless `wanted` names another time. */
export async function makeReplay(
  webhooks: WebhooksInstance,
  context: RequestContext,
  wanted: object = {},
): Promise<WebhookReplay> {
  const parsed = webhookReplayCreate.parse({ ...recently(), ...wanted });
  const answer = await webhooks.replays.create(parsed, context);
  return answer instanceof IdempotentReplay ? answer.value : answer;
}

/** Works off every replay of all books, and sends what it queues. */
export async function workOff(webhooks: WebhooksInstance): Promise<void> {
  for (let more = 1; more > 0; ) {
    more = await webhooks.replaySender.tick();
    await webhooks.sender.whenIdle();
  }
}
