import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifyExport } from "./verify-export.ts";

// Written by the release before digests had versions. Never change the file: exports of that time must verify.
const file = join(import.meta.dirname, "testdata/version-1.ndjson");

it("proves an export of version 1, whose journals have digests of version 1", async () => {
  expect(await readFile(file, "utf8")).not.toContain("digestVersion");
  expect(await verifyExport(file)).toMatchObject({ proven: { journals: 10, entries: 24 } });
});
