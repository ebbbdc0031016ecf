import type { ReconciliationStatus } from "../../../typescript/types.gen.ts";
import { Chip } from "../../parts/chip.tsx";
import { texts } from "../../texts/texts.ts";

const tones = { Reconciled: "ok", Broken: "bad", NotReconciled: "warn" } as const;

export function RunStatus({ status }: { status: ReconciliationStatus }) {
  return <Chip tone={tones[status]}>{texts.reconciliation.statuses[status]}</Chip>;
}
