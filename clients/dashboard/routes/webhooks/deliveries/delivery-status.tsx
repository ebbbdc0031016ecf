import type { WebhookDeliveryStatus } from "../../../../typescript/types.gen.ts";
import { Chip, type Tone } from "../../../parts/values/chip.tsx";
import { webhookTexts } from "../../../texts/webhooks.ts";

const tones: Record<WebhookDeliveryStatus, Tone> = {
  Pending: "info",
  Retrying: "warn",
  Delivered: "ok",
  DeadLettered: "bad",
  Cancelled: "plain",
};

export function DeliveryStatus({ status, big = false }: { status: WebhookDeliveryStatus; big?: boolean }) {
  return (
    <Chip tone={tones[status]} big={big}>
      {webhookTexts.statuses[status]}
    </Chip>
  );
}
