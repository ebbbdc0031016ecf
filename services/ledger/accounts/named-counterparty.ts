import { Refusal } from "../../../contracts/errors.ts";
import { GetCounterparty } from "../../../contracts/messages/orders.ts";
import { notFound } from "../../../contracts/not-found.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import type { RpcClient } from "../../platform/rpc/client.ts";

/**
 * Asks orders for the counterparty that a request's field names. Returns null if it can be named, otherwise the
 * refusal. Call it before the transaction, so that nobody else waits for orders. Refusals (returned): `not_found`,
 * `counterparty_archived`, those of a service that does not answer.
 */
export async function rejectCounterparty(
  rpc: RpcClient,
  context: RequestContext,
  { id, pointer }: { id: string; pointer: string },
): Promise<Refusal | null> {
  try {
    const { value } = await rpc.request(GetCounterparty, context, { id });
    return value.archivedAt === null ? null : archived(id, pointer);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.code === "not_found" ? notFound("counterparty", pointer) : error;
  }
}

function archived(id: string, pointer: string): Refusal {
  const detail = "The counterparty is archived, so nothing new can name it. Restore it, or name another one.";
  return new Refusal("counterparty_archived", detail, {
    errors: [{ pointer, code: "counterparty_archived", message: "is archived" }],
    context: { resourceId: id },
  });
}
