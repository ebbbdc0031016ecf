import type { ReconciliationStatus } from "../../../typescript/types.gen.ts";
import { Chip } from "../../parts/values/chip.tsx";
import { reconciliationTexts } from "../../texts/reconciliation.ts";

const tones = { Reconciled: "ok", Broken: "bad", NotReconciled: "warn" } as const;

export function RunStatus({ status }: { status: ReconciliationStatus }) {
  return <Chip tone={tones[status]}>{reconciliationTexts.statuses[status]}</Chip>;
}
