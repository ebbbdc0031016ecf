import type { VerificationStatus as Status } from "../../../typescript/types.gen.ts";
import { Chip, type Tone } from "../../parts/values/chip.tsx";
import { counterpartyTexts } from "../../texts/counterparties.ts";

const tones: Record<Status, Tone> = { Verified: "ok", Unverified: "warn", Failed: "bad" };

export function VerificationStatus({ status, big = false }: { status: Status; big?: boolean }) {
  return (
    <Chip tone={tones[status]} big={big}>
      {counterpartyTexts.statuses[status]}
    </Chip>
  );
}
