import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { type LedgerWorld, openLedger } from "../../../test/ledger/world.ts";
import { exportBook } from "./export-book.ts";
import { LineChecksum } from "./line-checksum.ts";
import { gzipWithDigest, gunzipWithDigest } from "./gzip-with-digest.ts";
import {
  holdOf,
  lateReturnOf,
  postingOf,
  releaseOf,
  reversalOf,
  sampleBook,
  settlementOf,
  suspensePostingOf,
} from "../../../test/ledger/commands.ts";
import { verifyBytes, verifyExport } from "./verify-export.ts";

// A book is exported as a file that proves itself: the verifier finds each changed byte and names its line.
let world: LedgerWorld;
let folder: string;
let text: string;
let lines: string[];

beforeAll(async () => {
  world = await openLedger();
  folder = await mkdtemp(join(tmpdir(), "quittance-export-"));
  const [payroll, savings] = [await world.opens(), await world.opens()];
  const posting = postingOf([payroll, "Debit", 900], [savings, "Credit", 900]);
  const [settled, released, returned] = [newId("po"), newId("po"), newId("po")];
  await world.writes(posting, reversalOf(posting));
  await world.writes(holdOf(settled, payroll, 500), settlementOf(settled), holdOf(released, payroll, 600));
  await world.writes(releaseOf(released), holdOf(returned, savings, 700), settlementOf(returned));
  await world.writes(lateReturnOf(returned), suspensePostingOf(released, 600));
  text = await exported();
  lines = text.trimEnd().split("\n");
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await world.close();
});

async function exported(book = sampleBook): Promise<string> {
  return world.units.database.transaction(async ({ sql }) => {
    let all = "";
    for await (const part of exportBook(sql, book)) all += part;
    return all;
  });
}

async function pack(content: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of gzipWithDigest(Readable.from([content]))) parts.push(part);
  return Buffer.concat(parts);
}

function verified(content: string | Buffer, ending = ".ndjson") {
  const bytes = Readable.from([Buffer.from(content)]);
  return verifyBytes(ending === ".gz" ? gunzipWithDigest(bytes) : bytes);
}
async function faultOf(content: string | Buffer, ending?: string) {
  const result = await verified(content, ending);
  return "violation" in result ? result.violation : null;
}
/** The number of the first line that holds this, counted from 1. */
const lineWith = (part: string) => lines.findIndex((line) => line.includes(part)) + 1;

describe("an export of a sound book", () => {
  it("proves itself", async () => {
    const [head] = await world.units.database.sql<{ head: string }>(
      "select encode(head_hash, 'hex') as head from book_head",
    );
    expect(await verified(text)).toMatchObject({
      proven: { book: sampleBook, journals: 10, entries: 24, head: head!.head },
    });
  });

  it("proves itself as a compressed file too", async () => {
    const file = await pack(text);
    expect(gunzipSync(file).toString()).toBe(text);
    expect(await verified(file, ".gz")).toMatchObject({ proven: { journals: 10 } });
  });

  it("has its records in order, one per line", async () => {
    const kinds = lines.map((line) => (JSON.parse(line) as { record: string }).record);
    expect([...new Set(kinds)]).toEqual(["book", "account", "journal", "balance", "classTotal", "end"]);
    expect(kinds.filter((kind) => kind === "account")).toHaveLength(8);
    expect(kinds.filter((kind) => kind === "balance")).toHaveLength(8);
  });

  it("is empty for a book that does not exist", async () => {
    expect(await exported(bookIdOf(newId("ten"), "Live"))).toBe("");
  });

  it("proves an empty book", async () => {
    const empty = await openLedger();
    const all = await empty.units.database.transaction(async ({ sql }) => {
      let content = "";
      for await (const part of exportBook(sql, sampleBook)) content += part;
      return content;
    });
    await empty.close();
    expect(await verified(all)).toMatchObject({ proven: { journals: 0, entries: 0 } });
  });
});

describe("a changed byte", () => {
  it("is found anywhere in the file, with its line", async () => {
    const bytes = Buffer.from(text);
    // Every 7th byte, so that each kind of line and member is changed, with another bit each time.
    for (let index = 0; index < bytes.length; index += 7) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ (1 << (index % 8));
      const fault = await faultOf(changed);
      const line = bytes.subarray(0, index).filter((byte) => byte === 10).length + 1;
      expect(fault, `byte ${String(index)}`).not.toBeNull();
      expect(fault!.line, `byte ${String(index)}: ${fault!.check}`).toBe(line);
    }
  });

  it.each([
    ["in a digest", /"digest":"../, '"digest":"00', "every digest covers its journal"],
    ["in an amount", '"amountCents":500', '"amountCents":501', "every digest covers its journal"],
    [
      "in a running total",
      '"runningTotals":["500"',
      '"runningTotals":["501"',
      "running totals are the sums of an account's entries",
    ],
    [
      "in a checkpoint's head",
      /"headHash":"..([0-9a-f]{62}","posted)/,
      '"headHash":"00$1',
      "the chain verifies",
    ],
    [
      "in a checkpoint's totals",
      '"postedDebitCents":"1800"',
      '"postedDebitCents":"1801"',
      "checkpoints hold the totals of their time",
    ],
    [
      "in a balance",
      /("record":"balance","ledgerAccountId":"[^"]+","version":)([1-9])/,
      "$1$20",
      "every balance is its last entry's running totals",
    ],
    ["in a name", "Settlement cash", "Settlement cosh", "no byte was changed"],
    ["that is a blank", '{"record":"end",', '{"record": "end",', "no byte was changed"],
    ["in a number's form", '"amountCents":500', '"amountCents":5e2', "no byte was changed"],
    ["in a checksum", /"crc":"(.)(.{7}"}\n{"record":"account")/, '"crc":"x$2', "no byte was changed"],
  ])("%s is reported by the name of its check", async (_where, what, other, check) => {
    const changed = text.replace(what, other);
    expect(changed).not.toBe(text);
    expect((await faultOf(changed))?.check).toBe(check);
  });

  it("of a compressed file is found", async () => {
    const file = await pack(text);
    for (let index = 0; index < file.length; index += 5) {
      const changed = Buffer.from(file);
      changed[index] = (changed[index] ?? 0) ^ 4;
      expect(await faultOf(changed, ".gz"), `byte ${String(index)}`).not.toBeNull();
    }
    expect(await faultOf(gzipSync(text), ".gz")).toMatchObject({ check: "the file is complete" });
    expect(await faultOf(file.subarray(0, -1), ".gz")).toMatchObject({ check: "the file is complete" });
  });
});

/** Lines with recomputed checksums, as a person would forge them. */
function forged(change: (records: Record<string, unknown>[]) => Record<string, unknown>[]) {
  const sum = new LineChecksum();
  const records = lines.map((line) => {
    const { crc: _crc, ...record } = JSON.parse(line) as Record<string, unknown>;
    return record;
  });
  return change(records)
    .map((record) => sum.lineOf(record as never))
    .join("");
}
const journalsIn = (records: Record<string, unknown>[]) =>
  records.filter(({ record }) => record === "journal") as unknown as {
    sequence: number;
    kind: string;
    seal: unknown;
    entries: { amountCents: number }[];
  }[];

describe("a file with recomputed checksums", () => {
  it("is proven if nothing else was changed", async () => {
    expect(await verified(forged((records) => records))).toMatchObject({ proven: { journals: 10 } });
  });

  it("is refused if a line is missing", async () => {
    const fault = await faultOf(forged((records) => records.toSpliced(lineWith('"sequence":4') - 1, 1)));
    expect(fault).toMatchObject({ check: "the sequence has no gap", detail: "journal 5 follows journal 3" });
  });

  it("is refused if a line is repeated", async () => {
    const index = lineWith('"sequence":4') - 1;
    const fault = await faultOf(forged((records) => records.toSpliced(index, 0, records[index]!)));
    expect(fault).toMatchObject({ check: "the sequence has no gap", line: index + 2 });
  });

  it("is refused if a balance is missing or an account is repeated", async () => {
    const gone = lineWith('"record":"balance"') - 1;
    expect((await faultOf(forged((records) => records.toSpliced(gone, 1))))?.check).toBe(
      "every account has one balance",
    );
    expect((await faultOf(forged((records) => records.toSpliced(2, 0, records[1]!))))?.check).toBe(
      "every account occurs once",
    );
  });

  it("is refused if a class total is missing or changed", async () => {
    const index = lines.findIndex((line) => line.includes('"record":"classTotal","class":"Tenant"'));
    expect((await faultOf(forged((records) => records.toSpliced(index, 1))))?.check).toBe(
      "class totals are the sums of their accounts",
    );
    const moved = forged((records) =>
      records.with(index, { ...records[index], totals: ["0", "0", "0", "0", "0", "0"] }),
    );
    expect((await faultOf(moved))?.check).toBe("class totals are the sums of their accounts");
  });

  it("is refused if a checkpoint is missing", async () => {
    const fault = await faultOf(
      forged((records) => {
        const lastOfBatch = journalsIn(records).find(({ seal }) => seal !== null);
        lastOfBatch!.seal = null;
        return records;
      }),
    );
    expect(fault?.check).toBe("checkpoints cover the sequence");
  });

  it("is refused if a checkpoint has another class total, or none", async () => {
    const withClassTotals = (totals: string[]) =>
      forged((records) => {
        const [first] = journalsIn(records).filter(({ seal }) => seal !== null);
        const seal = first!.seal as { classTotals: { totals: string[] }[] };
        seal.classTotals = totals.length === 0 ? [] : seal.classTotals.map((one) => ({ ...one, totals }));
        return records;
      });
    for (const totals of [["0", "0", "0", "0", "1", "1"], []]) {
      expect((await faultOf(withClassTotals(totals)))?.check).toBe(
        "checkpoints hold the class totals of their time",
      );
    }
  });

  it.each([
    ["account", { name: "Mine" }, "every account is as it was made"],
    ["journal", { recordedAt: "2000-01-01T00:00:00.000001Z" }, "every digest covers its journal"],
    ["journal", { detailsDigest: "0".repeat(64) }, "every digest covers its journal"],
  ])("is refused if an %s record has %o", async (kind, change, check) => {
    const other = forged((records) =>
      records.map((one) => (one["record"] === kind ? { ...one, ...change } : one)),
    );
    expect((await faultOf(other))?.check).toBe(check);
  });

  it("is refused if the head was changed", async () => {
    const other = forged((records) => records.with(0, { ...records[0], headHash: "0".repeat(64) }));
    expect(await faultOf(other)).toMatchObject({ check: "the chain verifies", line: lines.length });
  });

  it("is refused if records are swapped, cut off, or follow the end", async () => {
    expect((await faultOf(forged((records) => [records[1]!, records[0]!, ...records.slice(2)])))?.check).toBe(
      "records are in order",
    );
    expect(await faultOf(text.slice(0, text.lastIndexOf('{"record":"end"')))).toMatchObject({
      check: "the file is complete",
      line: lines.length,
    });
    expect((await faultOf(text.slice(0, -1)))?.check).toBe("the file is complete");
    expect((await faultOf(forged((records) => [...records, records.at(-1)!])))?.check).toBe(
      "records are in order",
    );
    expect((await faultOf(""))?.check).toBe("the file is complete");
    expect((await faultOf("\n"))?.check).toBe("every line is a record");
    expect((await faultOf('{"record":"nothing"}\n'))?.check).toBe("records are in order");
    expect((await faultOf("null\n"))?.check).toBe("every line is a record");
  });
});

it("reads a file, compressed or not, and passes on the system's error if there is none", async () => {
  const [plain, gz] = [join(folder, "book.ndjson"), join(folder, "book.ndjson.gz")];
  await writeFile(plain, text);
  await writeFile(gz, await pack(text));
  expect(await verifyExport(plain)).toMatchObject({ proven: { journals: 10 } });
  expect(await verifyExport(gz)).toMatchObject({ proven: { journals: 10 } });
  await expect(verifyExport(join(folder, "nowhere"))).rejects.toMatchObject({ code: "ENOENT" });
  await expect(verifyExport(join(folder, "nowhere.gz"))).rejects.toMatchObject({ code: "ENOENT" });
});
