/** Advances of a Manual clock while a message is not handled, and while rails-simulator is killed. */
import { expect, it } from "vitest";
import type { ClockAdvance } from "../../contracts/http/sandbox/clock.ts";
import { type BookId, idOf, newUuid, uuidOf } from "../../contracts/ids/ids.ts";
import { leaveOutFirst, listSetAside, releaseSetAside } from "../../scripts/operator/messages/set-aside.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { until } from "../stack/until.ts";
import { clientOf } from "../world/client.ts";
import { natsAs, seedOtherTenant } from "../world/system/operator.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { Payer } from "../world/payer.ts";
import { usd } from "../world/usd.ts";

const world = await forThisFile(OwnWorld.start());
const path = "/v1/simulations/clock";

/** A new tenant whose clock is Manual. */
async function openBook(name: string) {
  const tenant = await seedOtherTenant(world, name);
  const { maker: key } = tenant.keys;
  const book = uuidOf(tenant.tenant.testBook as BookId);
  await world.send(key, "PUT", path, { body: { mode: "Manual" } });
  return {
    key,
    book,
    advance: async () =>
      (await world.send<ClockAdvance>(key, "POST", `${path}/advance`, { body: { nextBankingDay: true } }))
        .body,
    reaches: (id: string, status: ClockAdvance["status"]) =>
      until(`the advance is ${status}`, async () => {
        const { body } = await world.send<ClockAdvance>(key, "GET", `${path}/advances/${id}`);
        return body.status === status ? body : undefined;
      }),
    /** A message that no consumer has handled yet. */
    sendsMessage: async () => {
      const id = newUuid();
      await world.rows(
        `insert into orders.unconfirmed_message (book_id, message_id, consumer, type)
         values ($1, $2, 'ledger', 'orders.any.v1')`,
        [book, id],
      );
      return id;
    },
  };
}
const handled = (id: string) => world.rows("insert into ledger.inbox (message_id) values ($1)", [id]);

it("an advance that waits for a message is Stuck after 30 s, delays no other book, and goes on", async () => {
  const [stuck, other] = [await openBook("Stuck"), await openBook("Other")];
  const message = await stuck.sendsMessage();
  const { id } = await stuck.advance();
  expect((await other.reaches((await other.advance()).id, "Done")).steps).toBe(1);
  expect((await stuck.reaches(id, "Stuck")).waitingFor).toBe(`ledger: orders.any.v1 ${message}`);
  await handled(message);
  expect((await stuck.reaches(id, "Done")).waitingFor).toBeNull();
});

it("an advance goes on in another process when its own is killed", async () => {
  const killed = await openBook("Killed");
  const message = await killed.sendsMessage();
  const { id } = await killed.advance();
  await until("the advance is under way", async () => {
    const rows = await world.rows(
      "select from rails.clock_advance where runner is not null and status <> 'Done'",
    );
    return rows.length > 0;
  });
  await world.killAndReplace(world.instanceOf("rails"));
  await handled(message);
  expect((await killed.reaches(id, "Done")).steps).toBe(1);
});

it("an advance is Stuck at a message that was set aside, and goes on once an operator sends it on or leaves it out", async () => {
  const { key, book, ...aside } = await openBook("Aside");
  const { body: account } = await world.send<{ id: string }>(key, "POST", "/v1/ledger-accounts", {
    body: { name: "Operating" },
  });
  const order = new Payer({ client: () => clientOf(world.baseUrl(), key) }, account.id, "Operating");
  const sql = (text: string, params: readonly unknown[] = []) => world.rows(text, [...params]) as never;
  const found = async () => (await listSetAside(sql, ["ledger"]))[0];
  const stored = async () => (await found())?.messages ?? 0;
  await world.rows(
    `alter table ledger.command add constraint refused check (book_id <> '${book}') not valid`,
  );
  await Promise.all(Array.from({ length: 9 }, () => order.pays(usd("1.00"))));
  await until("nine stored messages", async () => (await stored()) === 9);

  const { id } = await aside.advance();
  expect((await aside.reaches(id, "Stuck")).waitingFor).toMatch(
    /^ledger: ledger\.place-hold\.v1 [0-9a-f-]{36}$/,
  );
  await world.rows("alter table ledger.command drop constraint refused");
  const of = idOf("book", book);
  const operator = { by: "ada", reason: "the constraint is gone" };
  const nats = await natsAs(world, "operator");
  const messageId = (await found())!.first!.messageId;
  await leaveOutFirst(sql, nats, { service: "ledger", book: of, messageId }, operator);
  await nats.close();
  await releaseSetAside(sql, "ledger", of, operator);
  expect((await aside.reaches(id, "Done")).waitingFor).toBeNull();
  expect(await stored()).toBe(0);
});
