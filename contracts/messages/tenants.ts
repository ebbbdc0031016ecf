import { z } from "zod";
import { idSchema } from "../ids/ids.ts";
import { event, overtakingEvent } from "../message.ts";

/**
 * An operator suspended or reactivated a tenant. One message per book of the tenant. `sequence` is the version of the
 * tenant's status, which counts its changes: a receiver ignores an older one.
 */
export const TenantStatusChanged = overtakingEvent(
  "gateway",
  "tenant-status-changed",
  z.object({ tenantId: idSchema("ten"), active: z.boolean() }),
);

const approvalRight = z.object({
  principal: z.string(),
  heldUntil: z.iso.datetime().nullable(),
  heldSince: z.iso.datetime().nullable().optional(),
});
/** A right to approve with the number of its last change, as a request carries it. */
export const numberedApprovalRight = approvalRight.extend({ sequence: z.int32() });

/**
 * The time until which a principal may approve, by any key in force or as a person, has changed. `heldUntil` is null
 * for no end, and a time in the past if neither gives the right any more. `subject` is the principal, and `sequence`
 * counts its changes. `heldSince` is when a principal that had lost the right got it back by a new key or role: what it
 * approved before that is void. A principal of whom nothing was published holds the right without an end, if at all.
 */
export const ApprovalRightChanged = overtakingEvent("gateway", "approval-right-changed", approvalRight);

/**
 * Sessions of a person ended, or what the person may do has changed: every gateway clears its session cache at once.
 * One message in the tenant's Test book.
 */
export const PersonChanged = event("gateway", "person-changed", z.object({ personId: idSchema("per") }));

/** A key was revoked, or replaced without an overlap: every gateway clears its key cache at once. */
export const ApiKeyRevoked = event("gateway", "api-key-revoked", z.object({ apiKeyId: idSchema("key") }));

/**
 * Somebody changed an API key, a person, a role, the approval policy or a webhook endpoint, or proposed or decided such
 * a change: open screens read again. `subject` is the object, or the book where it has no id. One message per book
 * that shows it.
 */
export const SettingsChanged = event("gateway", "settings-changed", z.object({}));
