import { expect, it } from "vitest";
import { newId } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { findSimilarPrincipal } from "./principals.ts";

it("lets other requests run while it compares a name with thousands", async () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => ({
    name: `${"\u00e9".repeat(90)}${String(index)}`,
    known: true,
  }));
  const sql = (() => Promise.resolve(rows)) as unknown as Sql;
  let turns = 0;
  const count = (): void => {
    turns += 1;
    turn = setImmediate(count);
  };
  let turn = setImmediate(count);
  const found = await findSimilarPrincipal(sql, newId("ten"), "somebody new");
  clearImmediate(turn);
  expect(found).toBeUndefined();
  expect(turns).toBeGreaterThan(5);
});
