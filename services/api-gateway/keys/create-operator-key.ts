import { Refusal } from "../../../contracts/errors.ts";
import type { ApiKey, ApiKeyCreate } from "../../../contracts/http/api-keys.ts";
import type { Scope } from "../../../contracts/http/scopes.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { type KeyMaker, scopesBeyond, scopesForTheOperator, whyAnother } from "./domain/key-authority.ts";
import { principalOf, refuseBadAddresses, refusePastEnd } from "./domain/key-format.ts";
import { knownPrincipal, newKey } from "./create-key.ts";
import { insertApiKey, type KeyBook, type NewApiKey } from "../auth/store/api-keys.ts";
import { insertProposal, type Replacement } from "./store/key-proposals.ts";
import { findShownKey } from "./store/list-keys.ts";

/** A tenant's own principal, with the book and the scopes of the key that it calls with. */
export type Giver = KeyMaker & KeyBook;

export interface GivenKey {
  readonly apiKey: ApiKey;
  /** In clear, to be shown this once. */
  readonly key: string;
}

/**
 * Makes a key of the giver's book. It works at once, or waits as Pending for another principal when it reaches
 * further than one may give alone (domain/key-authority.ts).
 * Refusals: `insufficient_scope` for scopes that the giver lacks; `invalid_field` for a principal, an address block
 * or an end that can't be.
 */
export async function grantKey(
  unit: Pick<UnitOfWork, "sql">,
  giver: Giver,
  asked: ApiKeyCreate,
): Promise<GivenKey> {
  const principal = principalOf(asked.principal ?? giver.principal);
  const expiresAt = asked.expiresAt === undefined ? null : new Date(asked.expiresAt);
  const ipAllowlist = asked.ipAllowlist ?? [];
  refuseBadAddresses(ipAllowlist);
  if (expiresAt !== null) refusePastEnd(expiresAt, new Date());
  refuseBeyond(giver, asked.scopes);
  const known = await knownPrincipal(unit.sql, giver.tenant, principal);
  const wish = { principal, principalIsKnown: known?.known === true, scopes: asked.scopes };
  const forTheOperator = scopesForTheOperator(wish);
  if (forTheOperator.length > 0) {
    const message = `Name a principal that has a key already: the first key of a new one with ${forTheOperator.join(", ")} comes from the operator's command line.`;
    throw new Refusal("invalid_field", message, {
      errors: [{ pointer: "/principal", code: "invalid_field", message }],
    });
  }
  const { stored, key } = newKey(giver, {
    name: asked.name,
    principal,
    scopes: asked.scopes,
    ipAllowlist,
    expiresAt,
    createdBy: giver.principal,
  });
  await putOrPropose(unit, stored, whyAnother(giver, wish), undefined);
  return { apiKey: await shown(unit, giver, stored), key };
}

/** Puts a key in force, or into a proposal when there is a reason why another principal has to let it through. */
export async function putOrPropose(
  { sql }: Pick<UnitOfWork, "sql">,
  key: NewApiKey,
  reason: string | undefined,
  replaces: Replacement | undefined,
): Promise<"InForce" | "Proposed"> {
  if (reason === undefined) {
    await insertApiKey(sql, key);
    return "InForce";
  }
  await insertProposal(sql, newId("prop"), key, { reason, replaces });
  return "Proposed";
}

/** Refusal: `insufficient_scope`, naming every scope that the giver's own key lacks. */
export function refuseBeyond(giver: Pick<KeyMaker, "scopes">, scopes: readonly Scope[]): void {
  const beyond = scopesBeyond(giver, scopes);
  if (beyond.length === 0) return;
  throw new Refusal(
    "insufficient_scope",
    `Use a key that has the scopes which the other one gets: this one lacks ${beyond.join(", ")}.`,
    { context: { requiredScopes: beyond } },
  );
}

/** What was just written, as the tenant sees it. */
export async function shown(
  { sql }: Pick<UnitOfWork, "sql">,
  book: KeyBook,
  key: NewApiKey,
): Promise<ApiKey> {
  const found = await findShownKey(sql, book, key.id);
  if (found === undefined) throw new Error(`key ${key.id} was written and is not there`);
  return found;
}
