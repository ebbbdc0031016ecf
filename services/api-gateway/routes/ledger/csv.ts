/** A field: text, which somebody else may have written, or a number of ours. */
export type CsvField = string | number | null;

/**
 * Rows as RFC 4180 writes them. Spreadsheets take text that begins with one of `=+-@`, a tab or a line break for a
 * formula: such text gets an apostrophe before it. Numbers stay numbers.
 */
export function csvOf(rows: readonly (readonly CsvField[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(",")}\r\n`).join("");
}

function fieldOf(field: CsvField): string {
  if (typeof field !== "string") return field === null ? "" : String(field);
  const text = /^\s*[=+\-@\t\r\n]/.test(field) ? `'${field}` : field;
  return text === field && !/[",\r\n]/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
