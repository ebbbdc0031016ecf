import type { AuditAction } from "../../../contracts/http/audit-actions.ts";
import type { ApiKey, ApiKeyProposal } from "../../../contracts/http/api-keys.ts";
import type { ApiKeyId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { entryOf } from "./entry-of.ts";
import { auditSourceOf } from "./audit-source.ts";
import { insertAuditEntries, insertAuditEntry } from "./store/audit.ts";
import type { HttpContext } from "../operation/http-context.ts";

/** Adds what a request does to keys to the audit log, in the transaction that does it. */
export class KeyAuditLog {
  readonly #sql: UnitOfWork["sql"];
  readonly #http: HttpContext;

  constructor({ sql }: Pick<UnitOfWork, "sql">, http: HttpContext) {
    this.#sql = sql;
    this.#http = http;
  }

  /** A key that works at once or waits for approval; `replaces` is the key that it replaces after a rotation. */
  async addCreated({ id, status, proposalId }: ApiKey, replaces?: ApiKeyId): Promise<void> {
    const action = status === "Pending" ? "ApiKeyProposed" : "ApiKeyCreated";
    await this.#add(action, id, { proposalId: proposalId ?? undefined, replaces });
  }

  /** A rotation: under the old key, and under the new one. */
  async addRotated(old: ApiKeyId, made: ApiKey): Promise<void> {
    const action = made.status === "Pending" ? "ApiKeyRotationProposed" : "ApiKeyRotated";
    await this.#add(action, old, { replacedBy: made.id, proposalId: made.proposalId ?? undefined });
    await this.addCreated(made, old);
  }

  /** A decision: under the proposal, and under its key. */
  async addDecided({ id, status, apiKey }: ApiKeyProposal): Promise<void> {
    const action = status === "Approved" ? "ApiKeyApproved" : "ApiKeyDenied";
    await this.#add(action, id, { keyId: apiKey.id });
    await this.#add(action, apiKey.id, { proposalId: id });
  }

  /** What ended by the revocation of a key: itself, keys that it had made, and those that waited to replace one. */
  async addEnded(
    id: ApiKeyId,
    { revoked, denied }: { readonly revoked: readonly ApiKeyId[]; readonly denied: readonly ApiKeyId[] },
  ): Promise<void> {
    const entry = (action: AuditAction) => (key: ApiKeyId) =>
      entryOf(this.#http.known, action, key, key === id ? {} : { revokedWith: id });
    const entries = [...revoked.map(entry("ApiKeyRevoked")), ...denied.map(entry("ApiKeyDenied"))];
    await insertAuditEntries(this.#sql, entries, auditSourceOf(this.#http.request));
  }

  async #add(action: AuditAction, objectId: string, details: Record<string, unknown>): Promise<void> {
    await insertAuditEntry(
      this.#sql,
      entryOf(this.#http.known, action, objectId, details),
      auditSourceOf(this.#http.request),
    );
  }
}
