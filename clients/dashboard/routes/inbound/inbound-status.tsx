import type { InboundPaymentStatus } from "../../../typescript/types.gen.ts";
import { Chip, type Tone } from "../../parts/chip.tsx";
import { texts } from "../../texts/texts.ts";

const tones: Record<InboundPaymentStatus, Tone> = {
  Suspended: "warn",
  Attributed: "ok",
  Assigned: "ok",
  Returned: "bad",
};

export function InboundStatus({ status, big = false }: { status: InboundPaymentStatus; big?: boolean }) {
  return (
    <Chip tone={tones[status]} big={big}>
      {texts.inbound.statuses[status]}
    </Chip>
  );
}
