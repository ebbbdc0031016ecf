import { useMutation } from "@tanstack/react-query";
import { diagnoseWebhook } from "../../../typescript/sdk.gen.ts";
import type { WebhookDiagnose } from "../../../typescript/types.gen.ts";
import { bodyOf } from "../client/call.ts";

/** Compares what a receiver got with what was sent. It changes nothing, so it needs no Idempotency-Key. */
export function useDiagnosis() {
  return useMutation({ mutationFn: (body: WebhookDiagnose) => bodyOf(diagnoseWebhook({ body })) });
}
