import type { VirtualAccountStatus as Status } from "../../../typescript/types.gen.ts";
import { Chip, type Tone } from "../../parts/values/chip.tsx";
import { virtualAccountTexts } from "../../texts/virtual-accounts.ts";

const tones: Record<Status, Tone> = { Active: "ok", Disabled: "warn", Closed: "plain" };

export function VirtualAccountStatus({ status, big = false }: { status: Status; big?: boolean }) {
  return (
    <Chip tone={tones[status]} big={big}>
      {virtualAccountTexts.statuses[status]}
    </Chip>
  );
}
