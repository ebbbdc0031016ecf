import type { InboundPaymentStatus } from "../../../typescript/types.gen.ts";
import { Chip, type Tone } from "../../parts/values/chip.tsx";
import { inboundTexts } from "../../texts/inbound.ts";

const tones: Record<InboundPaymentStatus, Tone> = {
  Suspended: "warn",
  Attributed: "ok",
  Assigned: "ok",
  Offset: "ok",
  Returned: "bad",
};

export function InboundStatus({ status, big = false }: { status: InboundPaymentStatus; big?: boolean }) {
  return (
    <Chip tone={tones[status]} big={big}>
      {inboundTexts.statuses[status]}
    </Chip>
  );
}
