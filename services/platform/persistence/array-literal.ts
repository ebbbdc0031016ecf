/**
 * One column of a set-based insert as a Postgres array literal. For values that need no quoting only (ids, numbers,
 * booleans, enum names, timestamps, hexadecimal): the driver's own arrays quote each element, which costs a fifth of a
 * batch. An empty text breaks it, and so does one with a comma, quote, brace, backslash or space.
 */
export function arrayLiteral(values: readonly (string | number | bigint | boolean | null)[]): string {
  let text = "";
  for (const value of values) text += `,${value ?? "NULL"}`;
  return `{${text.slice(1)}}`;
}
