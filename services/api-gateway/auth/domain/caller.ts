import type { RolesByMode } from "../../../../contracts/http/roles.ts";
import type { ApiKeyId, BookId, Mode, PersonId, SessionId, TenantId } from "../../../../contracts/ids/ids.ts";

/** A session of a person who has signed in, as a gateway caches it. */
export interface KnownSession {
  readonly id: SessionId;
  readonly person: PersonId;
  readonly tenant: TenantId;
  readonly tenantActive: boolean;
  readonly principal: string;
  readonly name: string;
  readonly email: string;
  /** It began with a password that somebody else has set, and that its person has not changed since. */
  readonly hasGivenPassword: boolean;
  /** Without those of Live in a demo session. */
  readonly roles: RolesByMode;
  readonly signedInAt: Date;
  /** However much it is used. */
  readonly endsAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date;
}

/**
 * Who calls. An API key and a session end in the same object, and nothing behind `authenticate.ts` asks which of the
 * two it was: every right is the principal's, in one book.
 */
export interface KnownCaller {
  readonly tenant: TenantId;
  readonly tenantActive: boolean;
  readonly mode: Mode;
  readonly book: BookId;
  readonly principal: string;
  readonly scopes: ReadonlySet<string>;
  /** Addresses and CIDR blocks from which it may call; empty: every address. */
  readonly ipAllowlist: readonly string[];
  readonly expiresAt: Date | null;
  /** The API key; null for a session. */
  readonly apiKeyId: ApiKeyId | null;
  /** The session; null for an API key. */
  readonly session: KnownSession | null;
}
