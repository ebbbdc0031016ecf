import { canonicalJson } from "../../../contracts/canonical-json.ts";
import type { Annotations, PaymentOrder } from "./payment-order.ts";
import { patchedMetadata } from "../../../contracts/http/patched-metadata.ts";
import type { EncryptedPatch } from "./patch-draft.ts";

/** A change of the annotations, as the audit keeps it. */
export interface AnnotationChange {
  readonly principal: string;
  readonly at: Date;
  readonly before: Annotations;
  readonly after: Annotations;
}

/** The current ones. Until they change after the submission, they are those of the terms. */
export function annotationsOf({ annotations, terms }: PaymentOrder): Annotations {
  return annotations ?? { description: terms.description, metadata: terms.metadata };
}

/** The fields of a patch that are frozen after the submission. */
export function frozenFields(patch: EncryptedPatch): string[] {
  return Object.entries(patch).flatMap(([field, value]) =>
    value === undefined || field === "description" || field === "metadata" ? [] : [field],
  );
}

/**
 * Changes the annotations of an order that is no Draft. Its terms stay, and with them its hash and its approvals. Null
 * if the patch changes nothing. Refusals: `invalid_field`.
 */
export function annotate(
  order: PaymentOrder,
  { description, metadata }: Pick<EncryptedPatch, "description" | "metadata">,
  by: { readonly principal: string; readonly now: Date },
): { readonly order: PaymentOrder; readonly change: AnnotationChange } | null {
  const before = annotationsOf(order);
  const after = {
    description: description === undefined ? before.description : description,
    metadata: patchedMetadata(before.metadata, metadata),
  };
  if (canonicalJson(after) === canonicalJson(before)) return null;
  return {
    order: { ...order, annotations: after, updatedAt: by.now },
    change: { principal: by.principal, at: by.now, before, after },
  };
}
