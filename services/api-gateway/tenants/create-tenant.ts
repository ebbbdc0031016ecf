import { Refusal } from "../../../contracts/errors.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { insertTenant, type Tenant } from "./store/tenants.ts";

/**
 * Makes a tenant, active at once. Its two books (Test and Live) need no making: their ids are derived from its own,
 * and each service opens its part of a book with the first thing that it is asked there.
 * Refusals: `invalid_field` for a name that is empty, beyond 100 characters or can't be seen, `name_taken`.
 */
export async function createTenant(sql: Sql, asked: string): Promise<Tenant> {
  const name = asked.normalize("NFC").trim();
  if (name === "" || name.length > 100 || /\p{C}/u.test(name)) {
    throw new Refusal("invalid_field", "Give the tenant a name of 1 to 100 characters that can be seen.");
  }
  const tenant = await insertTenant(sql, newId("ten"), name);
  if (tenant === undefined)
    throw new Refusal("name_taken", `There is a tenant named ${name}: choose another name.`);
  return tenant;
}
