import { z } from "zod";

/**
 * An enum of the public API: a named component of the OpenAPI document, with a description for each value. The order
 * of `values` is the order in the document.
 */
export function namedEnum<Value extends string>(
  id: string,
  description: string,
  values: Readonly<Record<Value, string>>,
): z.ZodEnum<{ [Each in Value]: Each }> {
  const entries = Object.fromEntries(Object.keys(values).map((value) => [value, value]));
  return z.enum(entries as { [Each in Value]: Each }).meta({ id, description, "x-enumDescriptions": values });
}
