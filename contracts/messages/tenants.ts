import { z } from "zod";
import { idSchema } from "../ids/ids.ts";
import { event } from "../message.ts";

/** An operator suspended or reactivated a tenant. One message per book of the tenant. */
export const TenantStatusChanged = event(
  "gateway",
  "tenant-status-changed",
  z.object({ tenantId: idSchema("ten"), active: z.boolean() }),
);

/** A key was revoked, or replaced without an overlap: every gateway clears its key cache at once. */
export const ApiKeyRevoked = event("gateway", "api-key-revoked", z.object({ apiKeyId: idSchema("key") }));
