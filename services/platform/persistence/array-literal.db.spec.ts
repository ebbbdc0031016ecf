import { expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { arrayLiteral } from "./array-literal.ts";

const units = await forThisFile(openFreshUnits("rails"));

it.each([
  { type: "text", values: ["Ach", null, "Book"] },
  { type: "int", values: [-1, null, 2_147_483_647] },
  { type: "boolean", values: [true, null, false] },
  { type: "text", values: [] },
])("arrives as the $type values that it was made of: $values", async ({ type, values }) => {
  const [row] = await units.database.sql(`select $1::${type}[] as values`, [arrayLiteral(values)]);
  expect(row).toEqual({ values });
});

it("arrives as the times that it was made of", async () => {
  const times = [new Date("2026-03-02T23:59:59.999Z"), null];
  const literal = arrayLiteral(times.map((time) => time?.toISOString() ?? null));
  const [row] = await units.database.sql(
    "select ($1::timestamptz[])[1] as first, ($1::timestamptz[])[2] as second",
    [literal],
  );
  expect(row).toEqual({ first: times[0], second: null });
});
