import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { asError } from "../../platform/as-error.ts";
import type { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { objectOf } from "../operation/object-of.ts";
import { entryOf } from "./entry-of.ts";
import { auditSourceOf } from "./audit-source.ts";
import { insertAuditEntry, isRequestLogged } from "./store/audit.ts";

/**
 * A hook before each answer: the audit log records what its operation has done (`audited`), also through an API key.
 * What was refused is not recorded. After an answer 5xx nobody knows whether the change was made, so the entry says
 * `outcome: Unknown`; a repetition with the same Idempotency-Key that succeeds adds an entry without it, whoever sends
 * it. The entry is written after the change, which another service may have made: if the gateway stops in between, only
 * a repetition writes it. An entry that can't be written is logged and does not fail the request: the change is made,
 * and its answer may show a secret once.
 */
export function recordOperation(units: UnitOfWorkRunner, log: Logger) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { caller, routeOptions } = request;
    const { audited, auditedProposal } = routeOptions.config;
    const action = reply.statusCode === 202 ? auditedProposal : audited;
    const isRefused = reply.statusCode >= 300 && reply.statusCode < 500;
    if (caller === null || action === undefined || isRefused) return;
    const key = request.headers["idempotency-key"];
    const idempotencyKey = typeof key === "string" ? key : undefined;
    const entry = entryOf(caller, action, objectOf(request, reply), {
      idempotencyKey,
      outcome: reply.statusCode >= 500 ? "Unknown" : undefined,
    });
    const isRepeated = reply.getHeader("idempotent-replayed") === "true" && idempotencyKey !== undefined;
    try {
      await units.run(async ({ sql }) => {
        if (isRepeated && (await isRequestLogged(sql, entry, idempotencyKey))) return;
        await insertAuditEntry(sql, entry, auditSourceOf(request));
      });
    } catch (error) {
      const { actor, objectId } = entry;
      log.error({ err: asError(error), action, actor, objectId }, "the audit log lacks an entry");
    }
  };
}
