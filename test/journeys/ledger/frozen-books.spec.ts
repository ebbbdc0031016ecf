import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { LedgerProof } from "../../../contracts/http/ledger/ledger-proof.ts";
import type { PaymentOrder } from "../../../clients/typescript/types.gen.ts";
import type { Problem } from "../../../contracts/http/problem.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import { bookIdOf, newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { ReleaseHold, SettleHold } from "../../../contracts/messages/ledger.ts";
import { UnmatchedReturnReceived } from "../../../contracts/messages/rails.ts";
import { createMessage } from "../../../services/platform/messages/message.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { operatorRuns, seedOtherTenant } from "../../world/system/operator.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

// Somebody changes a stored entry. The auditor finds it and freezes only that book, and no command for it is lost.

// An auditor that repeats the full scan of every book again and again.
const world = await forThisFile(
  OwnWorld.start({ instances: 2, env: { AUDIT_PASS_HOURS: "0", AUDIT_SHARE: "0.1" } }),
);
const folder = await mkdtemp(join(tmpdir(), "quittance-frozen-"));
const book = bookIdOf(world.tenant.tenant.id, "Test");
const neighbour = await seedOtherTenant(world, "Neighbour");
await world.send(neighbour.keys.maker, "POST", "/v1/ledger-accounts", { body: { name: "Operating" } });
const payer = await world.payerWith(usd("100.00"));
const wire = await payer.pays(usd("18.00"), { rail: "Wire" });
await world.reaches(wire.id, ({ status }) => status === "Pending");
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Runs an operator's command against the running service. */
async function operator(
  tool: "books" | "prove",
  ...args: string[]
): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await operatorRuns(world, tool, args);
  return { code, output: stdout + stderr };
}

/** Changes the first entry's amount as docs/operate/frozen-books.md does: without the trigger that refuses it. */
async function tamper(cents: 1 | -1): Promise<void> {
  const client = await world.admin.connect();
  await client.query("begin");
  await client.query("alter table ledger.entry disable trigger append_only");
  await client.query(
    "update ledger.entry set amount_cents = amount_cents + $2 where book_id = $1 and seq = 1 and line = 1",
    [uuidOf(book), cents],
  );
  await client.query("alter table ledger.entry enable always trigger append_only");
  await client.query("commit");
  client.release();
}

const proof = async () => (await world.get<LedgerProof>("/v1/ledger/proof")).body;
const untilProven = () =>
  until("the auditor is at the head", async () =>
    (await proof()).status === "Proven" ? proof() : undefined,
  );

describe("a sound book", () => {
  it("is Proven once the auditor has verified it, with the totals of its proof", async () => {
    expect(await untilProven()).toMatchObject({
      lastSequence: 3,
      trialBalance: [
        { layer: "Pending", debitCents: 21_800, creditCents: 21_800, differenceCents: 0 },
        { layer: "Posted", debitCents: 10_000, creditCents: 10_000, differenceCents: 0 },
      ],
      equation: { heldCents: 10_000, owedCents: 10_000, differenceCents: 0 },
      lastSeal: { lastSequence: 3 },
      audit: { auditedSequence: 3 },
      frozenAt: null,
      faults: [],
    });
  });

  it("gives its journals to the tenant's verifier, oldest first, a page at a time", async () => {
    const { body: first } = await world.get<{
      data: { sequence: number; kind: string; entries: object[] }[];
      nextCursor: string;
    }>("/v1/ledger/journals?limit=2");
    expect(first.data.map(({ sequence, kind }) => [sequence, kind])).toEqual([
      [1, "Hold"],
      [2, "Settle"],
    ]);
    const { body: next } = await world.get<{ data: object[]; hasMore: boolean }>(
      `/v1/ledger/journals?limit=2&cursor=${first.nextCursor}`,
    );
    expect(next).toMatchObject({ data: [{ sequence: 3, kind: "Hold" }], hasMore: false });
    const { body: afterSecond } = await world.get<{ data: object[] }>("/v1/ledger/journals?afterSequence=2");
    expect(afterSecond.data).toEqual(next.data);
  });

  it("is exported as a file that proves itself, until a byte of it is changed", async () => {
    const file = join(folder, "book.ndjson");
    expect(await operator("prove", "--export", file, "--book", book)).toMatchObject({ code: 0 });
    const sound = await operator("prove", "--file", file);
    expect(sound).toEqual({
      code: 0,
      output: expect.stringMatching(/^proven {2}book_\w+ {2}3 journals {2}8 entries/),
    });
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace('"amountCents":1800', '"amountCents":1801'));
    const line = text.slice(0, text.indexOf('"amountCents":1800')).split("\n").length;
    expect(await operator("prove", "--file", file)).toEqual({
      code: 1,
      output: `BROKEN  ${file}  line ${String(line)}\n        every digest covers its journal: journal 3\n`,
    });
  });
});

describe("a book in which somebody changed an entry", () => {
  it("is frozen by the auditor, with the violation", async () => {
    await tamper(1);
    const frozen = await until("the auditor finds it", async () => {
      const seen = await proof();
      return seen.status === "Frozen" ? seen : undefined;
    });
    expect(frozen.faults).toEqual([{ check: "every digest covers its journal", detail: "journal 1" }]);
    // Written after the freeze has committed.
    await until("the log line about the frozen book", () =>
      world.lines.some(
        (line) => line.includes("a book failed its audit and was frozen") && line.includes(book),
      ),
    );
    expect((await operator("books", "list")).output).toContain(`${book}  Frozen since`);
  });

  it("refuses orders and accounts as retryable while it is frozen, and can be read", async () => {
    const headers = { "idempotency-key": "while frozen" };
    const create = () => world.post<Problem>("/v1/payment-orders", payer.body(500), { headers });
    const refused = await until("orders has received the freeze", async () => {
      const answer = await create();
      return answer.status === 503 ? answer : undefined;
    });
    expect(refused.body).toMatchObject({ code: "service_unavailable", retryable: true });
    expect(refused.headers.get("retry-after")).not.toBeNull();
    const account = await world.post<Problem>("/v1/ledger-accounts", { name: "Another" });
    expect([account.status, account.body.code]).toEqual([503, "service_unavailable"]);
    expect((await world.get("/v1/balances")).status).toBe(200);
  });

  it("does not affect other tenants", async () => {
    const key = neighbour.keys.maker;
    const path = "/v1/payment-orders";
    const body = payer.body(500, "Rtp", { ledgerAccountId: undefined, ledgerAccountName: "Operating" });
    const made = await world.send<PaymentOrder>(key, "POST", path, { body });
    expect(made.status).toBe(201);
    await until("the neighbour's payment", async () => {
      const paid = await world.send<PaymentOrder>(key, "GET", `${path}/${made.body.id}`);
      return paid.body.status === "Completed";
    });
  });

  it("keeps its deferred commands, also when an instance of the ledger dies", async () => {
    const cancelled = await world.post(`/v1/payment-orders/${wire.id}/cancel`, { reason: "not needed" });
    expect(cancelled.status).toBe(200);
    await until(
      "the release waits",
      async () => (await world.rows("select 1 from ledger.deferred_command")).length === 1,
    );
    await world.killAndReplace(world.instanceOf("ledger"));
    expect(await payer.balance()).toEqual({ posted: 10_000, held: 1_800, available: 8_200 });
  });

  it("shows the next deferred command, which can't be dropped while it waits for its turn", async () => {
    const { output } = await operator("books", "list");
    const shown = /the next one: command (\d+) {2}[\da-f-]{36} {2}ledger\.release-hold\.v1 {2}(po_\w+) /.exec(
      output,
    );
    expect(shown?.[2]).toBe(wire.id);
    const early = await operator("books", "drop", book, shown![1]!, "--reason", "forged", "--by", "ada");
    expect(early).toMatchObject({ code: 1, output: expect.stringContaining("waits for its turn") });
  });

  it("can't be unfrozen while its proof fails", async () => {
    const reason = ["--reason", "looks fine to me", "--by", "ada"];
    const refused = await operator("books", "unfreeze", book, ...reason);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("every digest covers its journal: journal 1");
    expect(refused.output).toContain("it stays frozen");
    expect((await proof()).status).toBe("Frozen");
  });

  it("continues where it stopped, once it is repaired and proven", async () => {
    await tamper(-1);
    const reason = ["--reason", "restored from the backup", "--by", "ada"];
    const opened = await operator("books", "unfreeze", book, ...reason);
    expect(opened).toMatchObject({ code: 0, output: expect.stringContaining(`open  ${book}`) });
    await world.comesToRest(wire.id);
    expect((await world.order(wire.id)).status).toBe("Cancelled");
    expect(await payer.balance()).toEqual({ posted: 10_000, held: 0, available: 10_000 });
    const paid = await until("orders takes payments again", async () => {
      const answer = await world.post<PaymentOrder>("/v1/payment-orders", payer.body(500));
      return answer.status === 201 ? answer.body : undefined;
    });
    await world.comesToRest(paid.id);
    expect(await untilProven()).toMatchObject({ lastSequence: 6, frozenAt: null, faults: [] });
    expect((await operator("books", "list")).output).toBe("no book is frozen\n");
    expect((await operator("prove")).code).toBe(0);
  });

  it("is not proven to be unfrozen where it is open", async () => {
    const refused = await operator("books", "unfreeze", book, "--reason", "again", "--by", "ada");
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringContaining(`${book} is Open, not Frozen`),
    });
    expect(refused.output).not.toContain("proven  ");
  });
});

describe("a quarantined command of an open book", () => {
  const decision = ["--reason", "cause removed", "--by", "ada"];

  /** Quarantines the message, as a replay does whose command fails. Returns its position. */
  async function quarantines(message: AnyMessage): Promise<string> {
    const [row] = await world.rows<{ position: string }>(
      `insert into ledger.deferred_command (book_id, command_id, request_hash, message, failure, failure_code)
       values ($1, $2, sha256(''), $3, 'it failed', 'failed_before')
       returning position::text`,
      [uuidOf(book), newUuid(), JSON.stringify(message)],
    );
    return row!.position;
  }

  it("is listed, applied once by an operator, and recorded", async () => {
    const data = {
      rail: "Ach" as const,
      direction: "Credit" as const,
      amountCents: 700,
      currency: "USD" as const,
      code: "R03",
      traceNumber: "792012345678901",
      originalTraceNumber: "791010987654321",
      originatorName: "Ada Example",
      occurredAt: "2026-11-24T13:30:00.000Z",
    };
    const position = await quarantines(
      createMessage(UnmatchedReturnReceived, { book, subject: data.traceNumber, data }),
    );
    const { output } = await operator("books", "list");
    expect(output).toContain(`${book}  command ${position}, deferred `);
    expect(output).toContain("could not be replayed: failed_before: it failed\n");
    expect(output).toContain('"traceNumber":"792012345678901"');
    expect(await operator("books", "retry", book, position, ...decision)).toEqual({
      code: 0,
      output: `applied  ${book}  command ${position}\n`,
    });
    const { body } = await world.get<{ data: object[] }>("/v1/inbound-payments");
    expect(body.data).toMatchObject([{ status: "Suspended", amountCents: 700 }]);
    expect((await operator("books", "list")).output).toBe("no book is frozen\n");
    const again = await operator("books", "retry", book, position, ...decision);
    expect(again).toMatchObject({
      code: 1,
      output: expect.stringContaining("no quarantined command at this position"),
    });
    expect(await world.rows("select actor, reason, failure from ledger.command_retry")).toEqual([
      { actor: "operator:ada", reason: "cause removed", failure: null },
    ]);
  });

  it("is dropped by two operators if the bank has moved its money, and its message is kept", async () => {
    const orderId = newId("po");
    const data = { commandId: newUuid(), orderId, effectiveAt: "2026-11-24T13:30:00.000Z" };
    const position = await quarantines(createMessage(SettleHold, { book, subject: orderId, data }));
    const drop = (by: string) => operator("books", "drop", book, position, "--reason", "forged", "--by", by);
    const command = `${book}  command ${position}`;
    const { output: proposed } = await drop("ada");
    expect(proposed).toContain(`proposed  ${command}: it is dropped once another operator runs`);
    expect(proposed).toContain("  The bank has moved this money. Only while its order waits");
    const { output: dropped } = await drop("bob");
    expect(dropped).toContain(`dropped  ${command}: its message stays in ledger.command_decision\n`);
    expect(dropped).toContain(data.commandId);
    expect((await operator("books", "list")).output).toBe("no book is frozen\n");
    const again = await drop("ada");
    expect(again.code).toBe(0);
    expect(again.output).toContain(`${command} was dropped before, by operator:bob at `);
  });

  it("stays quarantined while it fails, with its failure of today", async () => {
    const orderId = newId("po");
    const data = { commandId: newUuid(), orderId, effectiveAt: "2026-11-24T13:30:00.000Z" };
    const position = await quarantines(createMessage(ReleaseHold, { book, subject: orderId, data }));
    const failed = await operator("books", "retry", book, position, ...decision);
    expect(failed).toMatchObject({
      code: 1,
      output: expect.stringContaining(`${book}  command ${position} failed again: hold_not_found: `),
    });
    const { output } = await operator("books", "list");
    expect(output).toContain("could not be replayed: hold_not_found: ");
    expect((await proof()).status).not.toBe("Frozen");
  });
});
