import { Refusal } from "../../../contracts/errors.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { nameText } from "../../../contracts/text/text.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { insertTenant, type Tenant } from "./store/tenants.ts";

/** A tenant's name, or a key's, as it is stored. Refusals: `invalid_field` if it is empty, invisible or too long. */
export function parseName(text: string): string {
  const { data: name } = nameText(100).safeParse(text);
  if (name === undefined) throw new Refusal("invalid_field", "Send a name of 1 to 100 visible characters.");
  return name;
}

/**
 * Creates an active tenant. Its two books (Test and Live) need no rows here: their ids are derived from the tenant's,
 * and each service creates its part of a book on the first request.
 * Refusals: `invalid_field` for a name that is empty, invisible or longer than 100 characters; `name_taken`.
 */
export async function createTenant(sql: Sql, requestedName: string): Promise<Tenant> {
  const name = parseName(requestedName);
  const tenant = await insertTenant(sql, newId("ten"), name);
  if (tenant === undefined)
    throw new Refusal(
      "name_taken",
      `A tenant is already named ${name}, perhaps in another case. Choose another name.`,
    );
  return tenant;
}
