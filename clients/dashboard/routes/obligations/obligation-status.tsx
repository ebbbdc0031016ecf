import type { ObligationStatus as Status } from "../../../typescript/types.gen.ts";
import { Chip, type Tone } from "../../parts/values/chip.tsx";
import { obligationTexts } from "../../texts/obligations.ts";

export const tones = {
  Open: "plain",
  Fixed: "warn",
  Remitting: "info",
  Relieved: "ok",
} as const satisfies Record<Status, Tone>;

export function ObligationStatus({ status, big = false }: { status: Status; big?: boolean }) {
  return (
    <Chip tone={tones[status]} big={big}>
      {obligationTexts.statuses[status]}
    </Chip>
  );
}
