/** A field: text, which somebody else may have written, or a number of ours. */
export type CsvField = string | number | null;

/** `=+-@`, also full-width, a tab or a line break: spreadsheets take text that begins with one for a formula. */
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/;

/** Rows as RFC 4180 writes them. Text like a formula gets an apostrophe before it. Numbers stay numbers. */
export function csvOf(rows: readonly (readonly CsvField[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(",")}\r\n`).join("");
}

function fieldOf(field: CsvField): string {
  if (typeof field !== "string") return field === null ? "" : String(field);
  const text = formula.test(field) ? `'${field}` : field;
  return text === field && !/[",\r\n]/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
