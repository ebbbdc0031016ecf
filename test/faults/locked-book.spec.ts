import { expect, it } from "vitest";
import { type BookId, uuidOf } from "../../contracts/ids/ids.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { until } from "../stack/until.ts";
import { aNumber, received, sendsTo } from "../world/inbound.ts";
import { bodyOf, clientOf, createLedgerAccount, getPaymentOrder } from "../world/client.ts";
import { seedOtherTenant } from "../world/system/operator.ts";
import { Payer } from "../world/payer.ts";
import { usd } from "../world/usd.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { leastOf } from "../stack/least-of.ts";
import { holding } from "./inject/locks.ts";

// A console holds the head of one tenant's book in the ledger, while another tenant pays.
const world = await forThisFile(OwnWorld.start());
const neighbour = await seedOtherTenant(world, "Neighbour");
const book = neighbour.tenant.testBook as BookId;
const client = () => clientOf(world.baseUrl(), neighbour.keys.maker);
const account = await bodyOf(createLedgerAccount({ client: client(), body: { name: "Operating" } }));
const theirs = new Payer({ client }, account.id, account.name);
const ours = await world.payerWith(usd("500.00"));

/** A book that money comes in to, by its virtual account. */
async function receiving(name: string) {
  const { keys, tenant } = await seedOtherTenant(world, name);
  const send = async <T>(path: string, body: unknown) =>
    (await world.send<T>(keys.maker, "POST", path, { body })).body;
  const { id } = await send<{ id: string }>("/v1/ledger-accounts", { name: "Operating" });
  const { accountNumber } = await send<{ accountNumber: string }>("/v1/virtual-accounts", {
    name: "Blue Freight",
    ledgerAccountId: id,
  });
  const receives = () => sendsTo(world, accountNumber, usd("1.00"), { key: keys.maker });
  return { book: uuidOf(tenant.testBook as BookId), key: keys.maker, receives };
}

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
    await until(`order ${id}`, async () => {
      const { status } = await bodyOf(getPaymentOrder({ client: client(), path: { id } }));
      return status === "Completed" ? true : undefined;
    });
  }
  expect(await journals()).toEqual([
    { kind: "Hold", count: 5 },
    { kind: "Settle", count: 5 },
  ]);
});

it("a session that locks the virtual accounts of two books delays others for a few seconds, once", async () => {
  const locked = await Promise.all([receiving("First"), receiving("Second")]);
  const { accountNumber } = await aNumber(world, ours.accountId);
  const pays = async () => {
    const [reference, { id }] = await Promise.all([
      sendsTo(world, accountNumber, usd("1.00")),
      ours.pays(usd("1.00")),
    ]);
    await Promise.all([received(world, reference), world.comesToRest(id)]);
  };
  /** The seconds that our payments take beside one to each locked book, whose references it returns. */
  const paysBeside = async () => {
    const startedAt = performance.now();
    const [references] = await Promise.all([
      Promise.all(locked.map(({ receives }) => receives())),
      pays(),
      pays(),
    ]);
    return { references, seconds: (performance.now() - startedAt) / 1_000 };
  };
  const books = locked.map(({ book }) => `'${book}'`).join();
  let references: string[] = [];
  await holding(
    world,
    `select 1 from ledger.virtual_account where book_id in (${books}) for update`,
    async () => {
      const first = await paysBeside();
      references = first.references;
      // Nine seconds, and two pauses of a busy machine.
      expect(first.seconds).toBeLessThan(30);
      expect(await leastOf(3, async () => (await paysBeside()).seconds)).toBeLessThan(3);
    },
  );
  for (const [index, { key }] of locked.entries()) await received(world, String(references[index]), key);
});
