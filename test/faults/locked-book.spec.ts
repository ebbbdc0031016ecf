import { expect, it } from "vitest";
import { type BookId, uuidOf } from "../../contracts/ids/ids.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { until } from "../stack/until.ts";
import { bodyOf, clientOf, createLedgerAccount, getPaymentOrder } from "../world/client.ts";
import { seedOtherTenant } from "../world/operator.ts";
import { Payer } from "../world/payer.ts";
import { usd } from "../world/usd.ts";
import { OwnWorld } from "../world/own-world.ts";

// A console holds the head of one tenant's book in the ledger, while another tenant pays.
const world = await forThisFile(OwnWorld.start());
const neighbour = await seedOtherTenant(world, "Neighbour");
const book = neighbour.tenant.testBook as BookId;
const client = () => clientOf(world.baseUrl(), neighbour.keys.maker);
const account = await bodyOf(createLedgerAccount({ client: client(), body: { name: "Operating" } }));
const theirs = new Payer({ client }, account.id, account.name);
const ours = await world.payerWith(usd("500.00"));

const many = (count: number, by: Payer) =>
  Promise.all(Array.from({ length: count }, () => by.pays(usd("1.00"))));

it("a session that locks one book's head delays no other book, and its payments complete when it ends", async () => {
  const session = await world.admin.connect();
  await session.query("begin");
  await session.query("select 1 from ledger.book_head where book_id = $1 for update", [uuidOf(book)]);
  const [delayed] = await Promise.all([many(5, theirs), many(5, ours)]);
  await until(
    "the log of a book that waits",
    () => world.lines.some((line) => line.includes("its messages wait") && line.includes(book)) || undefined,
    40_000,
  );
  for (const { id } of await many(5, ours)) expect((await world.comesToRest(id)).status).toBe("Completed");
  const journals = () =>
    world.rows<{ kind: string; count: number }>(
      "select kind::text, count(*)::int as count from ledger.journal where book_id = $1 group by kind order by 1",
      [uuidOf(book)],
    );
  expect(await journals()).toEqual([]);

  await session.query("rollback");
  session.release();
  for (const { id } of delayed) {
    await until(
      `order ${id}`,
      async () => {
        const { status } = await bodyOf(getPaymentOrder({ client: client(), path: { id } }));
        return status === "Completed" ? true : undefined;
      },
      90_000,
    );
  }
  expect(await journals()).toEqual([
    { kind: "Hold", count: 5 },
    { kind: "Settle", count: 5 },
  ]);
});
