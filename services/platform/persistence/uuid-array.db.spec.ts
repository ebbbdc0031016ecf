import { expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { type LedgerTransactionId, uuidOf } from "../../../contracts/ids/ids.ts";
import { idArray, uuidArray } from "./uuid-array.ts";

const units = await forThisFile(openFreshUnits("rails"));

const one = "019c0000-0000-7000-8000-00000000000a";
const other = "ffeeddcc-bbaa-9988-7766-554433221100";

it.each([
  { name: "none", uuids: [], text: "{}" },
  { name: "one", uuids: [one], text: `{${one}}` },
  { name: "several, in their order", uuids: [other, one, other], text: `{${other},${one},${other}}` },
  { name: "capitals", uuids: [other.toUpperCase()], text: `{${other}}` },
  { name: "nothing among them", uuids: [null, one, null], text: `{NULL,${one},NULL}` },
])("arrives as the array that its text would be: $name", async ({ uuids, text }) => {
  const rows = await units.database.sql("select $1::uuid[]::text as text", [uuidArray(uuids)]);
  expect(rows).toEqual([{ text }]);
});

it("refuses text that is not a uuid", () => {
  expect(() => uuidArray(["019c"])).toThrow(TypeError);
});

it.each([
  { name: "ids of any kind", ids: ["lt_01kg000000e0080000000000gn", "book_7zxvpcsew2k5vyqk2n8ck2484y"] },
  { name: "one id again and again", ids: ["lt_01kg000000e0080000000000gn", "lt_01kg000000e0080000000000gn"] },
  {
    name: "nothing among them",
    ids: ["lt_01kg000000e0080000000000gn", null, "lt_01kg000000e0080000000000gn"],
  },
])("takes ids for their uuids: $name", async ({ ids }) => {
  const [row] = await units.database.sql<{ same: boolean }>("select $1::uuid[] = $2::uuid[] as same", [
    idArray(ids),
    ids.map((id) => (id === null ? null : uuidOf(id as LedgerTransactionId))),
  ]);
  expect(row?.same).toBe(true);
});

it.each(["lt_short", "lt_81kg000000e0080000000000gn", "lt_01kg000000e0080000000000gu"])(
  "refuses %s",
  (text) => {
    expect(() => idArray([text])).toThrow(TypeError);
  },
);
