import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { lineOf } from "../../../test/ledger/bank.ts";
import { endOf, Reconciler } from "../../../test/ledger/reconciler.ts";
import { sampleBook } from "../../../test/ledger/commands.ts";
import { lockReconciliation } from "./store/bank-statements.ts";
import { lockBooks } from "../posting/store/lock-books.ts";

let at: Reconciler;
const opened: Reconciler[] = [];
beforeEach(async () => {
  at = await Reconciler.open();
  opened.push(at);
});
afterAll(() => Promise.all(opened.map(({ world }) => world.close())));

describe("a run on request", () => {
  it("compares the book with the statement that the bank issues", async () => {
    const line = lineOf(await at.settled(), { cents: -300 });
    const run = await at.requestsRun(async () => at.bank.prints("2026-03-02", endOf.monday2, [line]));
    expect(run).toMatchObject({ status: "Reconciled", matchedCount: 1 });
    expect(run).toEqual(await at.report());
  });

  it("holds no lock and no transaction while the bank answers", async () => {
    const run = await at.requestsRun(async () => {
      await at.world.units.units.run(async ({ sql }) => {
        await lockReconciliation(sql, sampleBook);
        await lockBooks(sql, [sampleBook]);
        const [others] = await sql<{ count: bigint }>(
          `select count(*) as count from pg_stat_activity
           where state like 'idle in transaction%' and datname = current_database() and pid <> pg_backend_pid()`,
        );
        expect(others?.count).toBe(0n);
      });
      return at.bank.prints("2026-03-02", endOf.monday2, []);
    });
    expect(run.status).toBe("Reconciled");
  });

  it("is the existing run if its statement arrived by itself in the meantime", async () => {
    const line = lineOf(await at.settled(), { cents: -300 });
    const run = await at.requestsRun(async () => {
      const parts = at.bank.prints("2026-03-02", endOf.monday2, [line]);
      await at.receives(...parts);
      return parts;
    });
    expect(run).toEqual(await at.report());
    expect(await at.countOf("reconciliation")).toBe(1);
  });

  it("continues from a run that read the ledger later, and counts nothing twice", async () => {
    await at.requestsRun(async () => {
      const line = lineOf(await at.settled(), { cents: -300 });
      await at.receives(...at.bank.prints("2026-03-02", endOf.monday2, [line]));
      return at.bank.prints("2026-03-03", endOf.tuesday3, []);
    });
    expect(await at.report()).toMatchObject({ status: "Reconciled", matchedCount: 0 });
    await at.receives(...at.bank.prints("2026-03-06", endOf.friday6, []));
    expect(await at.report()).toMatchObject({ status: "Reconciled", matchedCount: 0, inTransitCount: 0 });
  });

  it("asks the bank once per Idempotency-Key, and stores nothing if the bank refuses", async () => {
    const isAway = () => Promise.reject(new Refusal("service_unavailable", "Nobody is there."));
    await expect(at.requestsRun(isAway, "key-1")).rejects.toMatchObject({ code: "service_unavailable" });
    expect(await at.countOf("reconciliation")).toBe(0);
    const run = await at.requestsRun(async () => at.bank.prints("2026-03-02", endOf.monday2, []), "key-1");
    expect(await at.requestsRun(isAway, "key-1")).toEqual(run);
  });
});
