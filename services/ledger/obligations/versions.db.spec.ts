import { beforeEach, describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { type FundedFiler, Filer, line } from "../../../test/ledger/obligations.ts";
import { settled } from "../../../test/ledger/order-commands.ts";
import { refused } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";

// What a caller changes or pays is what they have seen, if they send the version that they read.
let filer: FundedFiler;

const { units, superuser } = await openLedgerOfFile();
beforeEach(async () => {
  filer = await Filer.funded(units);
});

const versionOf = async (id: string) => (await filer.reads(id)).version;

describe("the version of an obligation", () => {
  it("rises with each change, and with each event of its payment", async () => {
    const { id, version } = await filer.creates();
    const seen = [version];
    seen.push((await filer.edits(id, { period: "2026-Q2" })).version);
    seen.push((await filer.fixes(id)).version);
    seen.push((await filer.amends(id, [line("Diesel, Oregon", 9_000)])).version);
    await filer.remits(id);
    const order = filer.ordered.at(-1)!;
    await filer.receives(filer.holdOf(order));
    seen.push(await versionOf(id));
    await filer.receives(settled(order.orderId));
    seen.push(await versionOf(id));
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it.each([
    ["does not raise it", ""],
    ["raises it too", "version = version + 1, "],
  ])("rises once with a change of an instance that %s", async (_which, raised) => {
    const { id } = await filer.creates();
    const update = `update obligation set ${raised} payee_counterparty_id = $2 where obligation_id = $1`;
    await superuser.query(update, [uuidOf(id as `ob_${string}`), uuidOf(newId("cp"))]);
    expect(await versionOf(id)).toBe(2);
  });

  it("is the same after the request of its payment was repeated", async () => {
    const { id, version } = await filer.fixed();
    await filer.remits(id);
    const repeated = "update obligation set request_due_at = request_due_at + interval '10 seconds'";
    expect((await superuser.query(`${repeated} where request_due_at is not null`)).rowCount).toBe(1);
    expect(await versionOf(id)).toBe(version);
  });

  it("is the same after a payment that orders refused", async () => {
    const { id, version } = await filer.fixed();
    filer.ordersAnswers("velocity_limit_exceeded");
    await expect(filer.remits({ id, ifMatch: [version] })).rejects.toMatchObject(
      refused("velocity_limit_exceeded"),
    );
    expect(await versionOf(id)).toBe(version);
    expect(await filer.remits({ id, ifMatch: [version] })).toMatchObject({ status: "Remitting", version });
  });
});

describe("a caller whose version is out of date", () => {
  it("pays neither another amount nor another payee than they have seen", async () => {
    const { id, version } = await filer.fixed();
    const amended = await filer.amends(id, [line("Diesel, Oregon", 19_000)]);
    const outOfDate = { ...refused("precondition_failed"), context: { currentVersion: amended.version } };
    await expect(filer.remits({ id, ifMatch: [version] })).rejects.toMatchObject(outOfDate);
    const redirected = await filer.edits(id, { payeeCounterpartyId: newId("cp") });
    await expect(filer.remits({ id, ifMatch: [amended.version] })).rejects.toMatchObject(
      refused("precondition_failed"),
    );
    expect(filer.ordered).toEqual([]);
    expect(await filer.reads(id)).toEqual(redirected);
    await filer.remits({ id, ifMatch: [amended.version, redirected.version] });
    expect(filer.ordered).toMatchObject([{ obligationId: id, amountCents: 19_000 }]);
  });

  it("fixes, amends and edits nothing", async () => {
    const { id } = await filer.creates();
    const edited = await filer.edits(id, { lines: [line("Diesel, Idaho", 410)] });
    const first = { id, ifMatch: [1] };
    const outOfDate = refused("precondition_failed");
    await expect(filer.fixes(first)).rejects.toMatchObject(outOfDate);
    await expect(filer.edits(first, { period: null })).rejects.toMatchObject(outOfDate);
    expect(await filer.reads(id)).toEqual(edited);
    const fixed = await filer.fixes({ id, ifMatch: [edited.version] });
    await expect(filer.amends(first, [])).rejects.toMatchObject(outOfDate);
    expect(await filer.reads(id)).toEqual(fixed);
  });

  it("gets the first answer again, if the change was theirs", async () => {
    const { id, version } = await filer.fixed();
    const request = filer.contextOf("pay-ifta", "the same request");
    const first = await filer.remits({ id, ifMatch: [version] }, {}, request);
    await filer.receives(filer.holdOf(filer.ordered[0]!));
    expect(await filer.remits({ id, ifMatch: [version] }, {}, request)).toEqual(first);
    expect(new Set(filer.ordered.map(({ orderId }) => orderId)).size).toBe(1);
  });
});
