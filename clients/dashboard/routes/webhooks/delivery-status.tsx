import type { WebhookDeliveryStatus } from "../../../typescript/types.gen.ts";
import { Chip, type Tone } from "../../parts/chip.tsx";
import { texts } from "../../texts/texts.ts";

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
      {texts.webhooks.statuses[status]}
    </Chip>
  );
}
