import { z } from "zod";
import { idSchema } from "../ids/ids.ts";
import { event } from "../message.ts";

/** A tenant was suspended or reactivated by the operator. One message per book of the tenant. */
export const TenantStatusChanged = event(
  "gateway",
  "tenant-status-changed",
  z.object({ tenantId: idSchema("ten"), active: z.boolean() }),
);

/** A key was revoked or rotated: every gateway forgets it at once. */
export const ApiKeyRevoked = event("gateway", "api-key-revoked", z.object({ apiKeyId: idSchema("key") }));
