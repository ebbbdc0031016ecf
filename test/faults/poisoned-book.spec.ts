import { expect, it } from "vitest";
import { type BookId, uuidOf } from "../../contracts/ids/ids.ts";
import { listSetAside, releaseSetAside } from "../../scripts/operator/messages/set-aside.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { until } from "../stack/until.ts";
import { clientOf, createLedgerAccount, bodyOf, getPaymentOrder } from "../world/client.ts";
import { seedOtherTenant } from "../world/system/operator.ts";
import { Payer } from "../world/payer.ts";
import { usd } from "../world/usd.ts";
import { OwnWorld } from "../world/system/own-world.ts";

// Every command of one tenant's book fails in the ledger, while another tenant pays.
const world = await forThisFile(OwnWorld.start());
const neighbour = await seedOtherTenant(world, "Neighbour");
const book = neighbour.tenant.testBook as BookId;
const client = () => clientOf(world.baseUrl(), neighbour.keys.maker);
const account = await bodyOf(createLedgerAccount({ client: client(), body: { name: "Operating" } }));
const theirs = new Payer({ client }, account.id, account.name);
const ours = await world.payerWith(usd("500.00"));

const sql = (text: string, params: readonly unknown[] = []) => world.rows(text, [...params]) as never;
const setAside = async () => (await listSetAside(sql, ["ledger"])).find((one) => one.book === book);
const stored = (count: number) =>
  until(
    `${String(count)} stored messages`,
    async () => ((await setAside())?.messages ?? 0) >= count || undefined,
  );
const many = (count: number, by: Payer) =>
  Promise.all(Array.from({ length: count }, () => by.pays(usd("1.00"))));

it("one poisoned book is set aside while others pay, and loses nothing, whenever the ledger is killed", async () => {
  const poison = `check (book_id <> '${uuidOf(book)}') not valid`;
  await world.rows(`alter table ledger.command add constraint poisoned ${poison}`);
  const [failing, paid] = await Promise.all([many(12, theirs), many(12, ours)]);
  for (const { id } of paid) expect((await world.comesToRest(id)).status).toBe("Completed");
  await stored(12);
  // Written after the first messages have been stored.
  await until("the log line about the book set aside", () =>
    world.lines.some((line) => line.includes("a book was set aside") && line.includes(book)),
  );

  await world.killAndReplace(world.instanceOf("ledger"));
  failing.push(...(await many(3, theirs)));
  await stored(15);
  const next = await many(3, ours);
  for (const { id } of next) expect((await world.comesToRest(id)).status).toBe("Completed");

  await world.rows("alter table ledger.command drop constraint poisoned");
  await releaseSetAside(sql, "ledger", book, { by: "ada", reason: "the constraint is gone" });
  await world.killAndReplace(world.instanceOf("ledger"));
  await until("the end of the release", async () => ((await setAside()) === undefined ? true : undefined));
  for (const { id } of failing) {
    await until(`order ${id}`, async () => {
      const { status } = await bodyOf(getPaymentOrder({ client: client(), path: { id } }));
      return status === "Completed" ? true : undefined;
    });
  }
  const journals = await world.rows<{ kind: string; count: number }>(
    "select kind::text, count(*)::int as count from ledger.journal where book_id = $1 group by kind order by 1",
    [uuidOf(book)],
  );
  expect(journals).toEqual([
    { kind: "Hold", count: 15 },
    { kind: "Settle", count: 15 },
  ]);
});
