import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newId, uuidOf } from "../../contracts/ids/ids.ts";
import { services } from "../../contracts/message.ts";
import { sampleBook, sampleTenant } from "../../test/ledger/commands.ts";
import { beginBook } from "../../test/ledger/rows/written.ts";
import { forThisFile } from "../../test/stack/for-this-file.ts";
import { withGuardsOff } from "../../test/stack/database/guards-off.ts";
import { connectTo, createDatabase } from "../../test/stack/servers/database.ts";
import { openUnits } from "../../test/stack/database/units.ts";
import { books } from "./books.ts";
import { runCommandLine } from "./command-line/command-line.ts";
import { sqlOf } from "./command-line/connections.ts";

// No NATS is there, and no ledger runs: the commands only follow what an earlier one has started.
const database = await forThisFile(createDatabase([...services]));
const client = await forThisFile(connectTo(database.adminUrl));
const sql = sqlOf(client);
const ledger = await forThisFile(openUnits(database.urlOf("ledger")));
const book = uuidOf(sampleBook);
beforeAll(async () => {
  await client.query("set search_path = ledger");
  vi.stubEnv("DATABASE_URL", database.adminUrl);
  await ledger.units.run((unit) => beginBook(unit.sql, { book: sampleBook, tenantId: sampleTenant }));
});
afterAll(() => vi.unstubAllEnvs());

/** Runs a command, and does the service's work when it has printed its first line. */
async function run(
  args: readonly string[],
  work: () => Promise<unknown>,
): Promise<{ code: number; out: string[]; errors: string[] }> {
  const [out, errors]: [string[], string[]] = [[], []];
  let working: Promise<unknown> | undefined;
  const streams = {
    out: (line: string) => {
      out.push(line);
      working ??= work();
    },
    error: (line: string) => errors.push(line),
  };
  const code = await runCommandLine(books, [...args, "--reason", "mended", "--by", "ada"], streams);
  await working;
  return { code, out, errors: errors.slice(1) };
}
const setsState = (state: string) =>
  withGuardsOff(sql, "ledger", async () => {
    await sql("update book_head set state = $1::book_state where book_id = $2", [state, book]);
  });

describe("npm run books -- release", () => {
  const releases = (work = () => Promise.resolve()) => run(["release", sampleBook, "ledger"], work);

  it("follows a release that was begun before, and records no second one", async () => {
    await sql(
      "insert into set_aside_book (stream, book_id, state, reason) values ('CMD', $1, 'Releasing', 'LG004')",
      [book],
    );
    expect(await releases(() => client.query("delete from set_aside_book").then(() => undefined))).toEqual({
      code: 0,
      out: ["0 messages are stored", `released  ${sampleBook}: ledger applies its messages again`],
      errors: [],
    });
    expect(await sql("select from set_aside_event")).toEqual([]);
  });

  it("refuses a book that is not set aside", async () => {
    expect(await releases()).toEqual({
      code: 1,
      out: [],
      errors: [`ledger has not set ${sampleBook} aside: npm run books -- aside`],
    });
  });
});

describe("npm run books -- aside", () => {
  const asides = async (...args: string[]) => {
    const [out, errors]: [string[], string[]] = [[], []];
    const streams = { out: (line: string) => out.push(line), error: (line: string) => errors.push(line) };
    return { code: await runCommandLine(books, ["aside", ...args], streams), out, errors };
  };

  it("shows of the first stored message its id, its type and what it is about, and none of its data", async () => {
    const [first, second] = ["019c0000-0000-7000-8000-00000000000f", "019c0000-0000-7000-8000-000000000001"];
    const message = {
      type: "ledger.place-hold.v1",
      time: "2026-11-24T13:30:00.000Z",
      subject: "po_01jd3k5s8ye9v8z2r0q3m7n4xa",
      data: { name: "Ada Example" },
    };
    await sql("insert into set_aside_book (stream, book_id, reason, since) values ('CMD', $1, 'LG004', $2)", [
      book,
      "2026-11-24T13:31:00Z",
    ]);
    for (const [sequence, id] of [first, second].entries())
      await sql(
        `insert into set_aside_message (stream, message_id, book_id, stream_sequence, part, subject, message)
         values ('CMD', $1, $2, $3, 0, 'cmd.ledger.place-hold.v1.p00', $4)`,
        [id, book, sequence, JSON.stringify({ id, ...message })],
      );
    const { code, out } = await asides(sampleBook);
    expect([code, out]).toEqual([
      0,
      [
        `${sampleBook}  ledger CMD  Aside since 2026-11-24T13:31:00.000Z: LG004`,
        "  2 messages are stored",
        `  the first one: ${first}  ledger.place-hold.v1  po_01jd3k5s8ye9v8z2r0q3m7n4xa  2026-11-24T13:30:00.000Z`,
      ],
    ]);
    expect((await asides(newId("book"))).out).toEqual([expect.stringMatching(/^book_.* is not set aside$/)]);
    await sql("delete from set_aside_message");
    await sql("delete from set_aside_book");
  });
});

describe("npm run books -- unfreeze", () => {
  it("follows an unfreezing that was begun before", async () => {
    await setsState("Releasing");
    expect(await run(["unfreeze", sampleBook], () => setsState("Open"))).toEqual({
      code: 0,
      out: ["0 commands are deferred", `open  ${sampleBook}`, "no command of the book is quarantined"],
      errors: [],
    });
  });

  it("ends with how many commands of the book are quarantined, and where to look", async () => {
    const other = "00000000-0000-7000-8000-00000000000b";
    await sql(
      `insert into deferred_command (book_id, command_id, request_hash, message, failure)
       values ($1, gen_random_uuid(), '', '{}', 'no hold'), ($1, gen_random_uuid(), '', '{}', 'no hold'),
         ($2, gen_random_uuid(), '', '{}', 'no hold')`,
      [book, other],
    );
    await setsState("Releasing");
    const { code, out } = await run(["unfreeze", sampleBook], () => setsState("Open"));
    expect([code, out.at(-1)]).toEqual([0, "2 commands of the book are quarantined: npm run books -- list"]);
  });

  it("refuses an open book", async () => {
    const { code, errors } = await run(["unfreeze", sampleBook], () => Promise.resolve());
    expect([code, errors]).toEqual([1, [`${sampleBook} is Open, not Frozen: npm run books -- list`]]);
  });
});
