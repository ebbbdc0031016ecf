import { beforeEach, describe, expect, it } from "vitest";
import type { ReconciliationItem } from "../../../contracts/http/ledger/reconciliations.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { ListReconciliationItems } from "../../../contracts/messages/reconciliations.ts";
import { lineOf } from "../../../test/ledger/bank.ts";
import { sampleTenant } from "../../../test/ledger/commands.ts";
import { Reconciler } from "../../../test/ledger/reconciler.ts";
import { codeOf, requestBy } from "../../../test/ledger/requests.ts";
import { QueryReconciliations } from "./query-reconciliations.handler.ts";

/** More than a report shows of one kind. */
const unmatchedLines = 520;
const amounts = Array.from({ length: unmatchedLines }, (_, index) => index + 1);

let at: Reconciler;
let id: string;
beforeEach(async () => {
  at = await Reconciler.open();
  const held = await at.held();
  await at.gets("2026-03-02", [
    lineOf(held, -300),
    ...amounts.map((cents) => lineOf(null, cents, { reference: `X${String(cents)}` })),
  ]);
  id = (await at.report())!.id;
  return () => at.close();
});

const list = (query: object, tenant = sampleTenant) =>
  new QueryReconciliations(at.world.units.database).listItems(
    ListReconciliationItems.data.parse({ id, query }),
    requestBy(tenant),
  );

/** All pages of a list, of `limit` items each. */
async function listed(query: object, limit: number) {
  const items: ReconciliationItem[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await list({ ...query, limit, cursor });
    items.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

describe("the items of a run", () => {
  it("are listed page by page, each once, also those that the report leaves out", async () => {
    expect((await at.report())?.unmatchedBankLines).toHaveLength(500);
    const items = await listed({}, 100);
    expect(items).toHaveLength(unmatchedLines + 1);
    const unmatched = items.filter(({ reason }) => reason === "NoLedgerEntry");
    expect(unmatched.map(({ amountCents }) => amountCents).sort((a, b) => a - b)).toEqual(amounts);
  });

  it("can be listed by their reason", async () => {
    expect(await listed({ reason: "NotYetBooked" }, 100)).toMatchObject([{ amountCents: 300 }]);
    expect(await listed({ reason: ["NotYetBooked", "NoLedgerEntry"] }, 100)).toHaveLength(unmatchedLines + 1);
    expect(await listed({ reason: "AmountDiffers" }, 100)).toEqual([]);
  });

  it("are not another tenant's, and a cursor belongs to its run and its filter", async () => {
    expect(await codeOf(list({}, newId("ten")))).toBe("not_found");
    const { nextCursor: cursor } = await list({ limit: 1 });
    expect(await codeOf(list({ cursor, reason: "NoLedgerEntry" }))).toBe("cursor_filter_mismatch");
  });
});
