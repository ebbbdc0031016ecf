/** Renders a catalogue as one readable SQL file. */
import type { Catalogue, Statement, TableDefinition } from "./catalogue.ts";

/** The text of `schema.sql`. The same catalogue always gives the same text. */
export function renderSchema(schema: string, catalogue: Catalogue): string {
  const of = (statements: readonly Statement[], owner: string) =>
    statements
      .filter((one) => one.owner === owner)
      .map(({ statement }) => `${statement.replace(/;$/, "")};`)
      .sort();
  const tables = catalogue.tables.map((table) =>
    [
      tableStatement(table),
      ...table.partitions.map((partition) => `${lowerCase(partition)};`),
      ...of(catalogue.comments, table.name),
      ...of(catalogue.indexes, table.name).map(lowerCase),
      ...of(catalogue.triggers, table.name).map(lowerCase),
      ...(table.rowSecurity ? [`alter table ${table.name} enable row level security;`] : []),
      ...(table.forcedRowSecurity ? [`alter table ${table.name} force row level security;`] : []),
      ...of(catalogue.policies, table.name).map(lowerCase),
      ...of(catalogue.grants, table.name),
    ].join("\n"),
  );
  const views = catalogue.views.map(({ owner, statement }) =>
    [lowerCase(statement), ...of(catalogue.comments, owner), ...of(catalogue.grants, owner)].join("\n"),
  );
  const functions = catalogue.functions.map(({ owner, statement }) =>
    [`${statement};`, ...of(catalogue.comments, owner), ...of(catalogue.grants, owner)].join("\n"),
  );
  const sections = [
    `-- What the migrations of this service come to. Written by \`make schema\`; never edit it by hand.\n` +
      `-- Not shown: partitions by day, and the table of applied migrations.`,
    `create schema ${schema};\nset search_path = ${schema};\n${of(catalogue.grants, "").join("\n")}`,
    [...catalogue.types, ...catalogue.sequences].join("\n"),
    ...tables,
    ...views,
    ...functions,
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function tableStatement(table: TableDefinition): string {
  const lines = [...table.columns, ...table.constraints.map(lowerCase)].map((line) => `  ${line}`);
  const key = table.partitionKey === null ? "" : ` partition by ${lowerCase(table.partitionKey)}`;
  const storage = table.storage === null ? "" : ` with (${table.storage.join(", ")})`;
  return `create table ${table.name} (\n${lines.join(",\n")}\n)${key}${storage};`;
}

/** Postgres writes keywords in capitals. Unquoted names are lowercase already; quoted text stays. */
function lowerCase(statement: string): string {
  return statement.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[^'"]+/g, (part) =>
    /^['"]/.test(part) ? part : part.toLowerCase(),
  );
}
