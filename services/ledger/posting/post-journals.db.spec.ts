import { beforeEach, describe, expect, it } from "vitest";
import { bookIdOf, type LedgerAccountId, newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { PlaceHold, SettleHold } from "../../../contracts/messages/ledger.ts";
import type { Message } from "../../../contracts/message.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { balancesOf } from "../book/account.ts";
import type { LedgerCommand } from "../book/commands.ts";
import {
  holdOf,
  lateReturnOf,
  postingOf,
  releaseOf,
  reversalOf,
  sampleBook,
  sampleTenant,
  settlementOf,
} from "../../../test/ledger/commands.ts";
import { readAccounts } from "./store/accounts.ts";
import { PostCommands } from "./post-commands.consumer.ts";
import { postJournals } from "./post-journals.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";

// The writer on a real Postgres, with the service's own role.
let payroll: LedgerAccountId;
let strict: LedgerAccountId;

const world = await openLedgerOfFile();
const { units } = world;
beforeEach(async () => {
  payroll = await world.opens();
  strict = await world.opens({ overdraft: "Refused" });
});

async function balanceOf(id: LedgerAccountId) {
  const [found] = await readAccounts(units.database.sql, [{ book: sampleBook, id }]);
  const { posted, pending, available } = balancesOf("Credit", found!.account.counters);
  return { posted: Number(posted), pending: Number(pending), available: Number(available) };
}

const count = async (table: string) =>
  Number((await units.database.sql<{ count: bigint }>(`select count(*) from ${table}`))[0]!.count);

describe("one batch", () => {
  it("takes an order from hold to late return, each step seeing the one before", async () => {
    const order = newId("po");
    const outcomes = await world.writes(
      holdOf(order, payroll, 4_000),
      settlementOf(order),
      lateReturnOf(order),
    );
    expect(outcomes.map(({ result }) => result)).toEqual(["Appended", "Appended", "Appended"]);
    expect(await balanceOf(payroll)).toEqual({ posted: 0, pending: 0, available: 0 });
    expect(await world.faults()).toEqual([]);
  });

  it("spends an account's funds once, in the order of the commands", async () => {
    await world.writes(postingOf([payroll, "Debit", 100], [strict, "Credit", 100]));
    const outcomes = await world.writes(
      holdOf(newId("po"), strict, 60),
      holdOf(newId("po"), strict, 60),
      holdOf(newId("po"), strict, 40),
    );
    expect(outcomes.map((outcome) => (outcome.result === "Refused" ? outcome.code : outcome.result))).toEqual(
      ["Appended", "insufficient_funds", "Appended"],
    );
    expect(await balanceOf(strict)).toEqual({ posted: 100, pending: 100, available: 0 });
  });

  it("settles even below zero if the funds have been spent since the hold", async () => {
    const funding = postingOf([payroll, "Debit", 10], [strict, "Credit", 10]);
    const order = newId("po");
    await world.writes(funding, holdOf(order, strict, 10));
    await world.writes(reversalOf(funding), settlementOf(order));
    expect(await balanceOf(strict)).toEqual({ posted: -10, pending: 0, available: -10 });
    expect(await world.faults()).toEqual([]);
  });

  it("creates the books that it needs, with their charts of accounts", async () => {
    const tenantId = newId("ten");
    const book = bookIdOf(tenantId, "Live");
    const command = { ...holdOf(newId("po"), payroll, 1), tenantId, mode: "Live" as const };
    const [outcome] = await units.units.run(({ sql }) => postJournals(sql, [{ book, command }]));
    // The account is another book's, so it is not there.
    expect(outcome).toMatchObject({ result: "Refused", code: "ledger_account_not_found" });
    const names = await units.database.sql(
      "select name, normal_balance from account where book_id = $1 order by name",
      [uuidOf(book)],
    );
    expect(names).toEqual([
      { name: "Fuel tax expense", normal_balance: "Debit" },
      { name: "Obligation expense", normal_balance: "Debit" },
      { name: "Operator settlement expense", normal_balance: "Debit" },
      { name: "Settlement cash", normal_balance: "Debit" },
      { name: "Stablecoin wallet", normal_balance: "Debit" },
      { name: "Suspense", normal_balance: "Credit" },
    ]);
  });

  it("refuses to create a book with an id that is not its tenant's", async () => {
    const command = holdOf(newId("po"), payroll, 1);
    const forged = newId("book");
    const writing = units.units.run(({ sql }) => postJournals(sql, [{ book: forged, command }]));
    await expect(writing).rejects.toThrow(`${forged} is not the Test book of ${sampleTenant}`);
  });

  it("works on several books at once, each with its own sequence and chain", async () => {
    const tenants = [newId("ten"), newId("ten"), newId("ten")];
    const commands = tenants.flatMap((tenantId) =>
      [1, 2].map(() => ({
        book: bookIdOf(tenantId, "Test"),
        command: holdOf(newId("po"), payroll, 1, { tenantId }),
      })),
    );
    const outcomes = await units.units.run(({ sql }) => postJournals(sql, commands));
    expect(outcomes).toHaveLength(6);
    for (const tenantId of tenants) expect(await world.faults(bookIdOf(tenantId, "Test"))).toEqual([]);
  });
});

it.each([1, 200])("a batch of %i whose outcomes can't be published leaves nothing", async (commands) => {
  const holds = Array.from({ length: commands }, () => holdOf(newId("po"), payroll, 100));
  const batch = holds.map((command) => ({ book: sampleBook, command }));
  const posted = units.units.run(({ sql }) =>
    postJournals(sql, batch, {
      onDecided: () => {
        throw new RangeError("no message can say this");
      },
    }),
  );
  await expect(posted).rejects.toThrow("no message can say this");
  expect(await balanceOf(payroll)).toEqual({ posted: 0, pending: 0, available: 0 });
});

describe("an unbalanced posting", () => {
  it("is a stored refusal and nothing else", async () => {
    const [journals, entries, commands] = [
      await count("journal"),
      await count("entry"),
      await count("command"),
    ];
    const posting = postingOf([payroll, "Debit", 5], [strict, "Credit", 4]);
    const [outcome] = await world.writes(posting);
    expect(outcome).toMatchObject({ result: "Refused", code: "unbalanced_transaction" });
    expect(await count("journal")).toBe(journals);
    expect(await count("entry")).toBe(entries);
    expect(await count("command")).toBe(commands + 1);
    expect(await world.writes(posting)).toEqual([outcome]);
    expect(await count("command")).toBe(commands + 1);
  });
});

describe("a repeated command", () => {
  it("gets the first one's outcome, in the same batch and later", async () => {
    const hold = holdOf(newId("po"), payroll, 7);
    const [first, second] = await world.writes(hold, hold);
    const [third] = await world.writes(hold);
    expect(first).toMatchObject({ result: "Appended" });
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(await balanceOf(payroll)).toEqual({ posted: 0, pending: 7, available: -7 });
  });

  it("is a conflict if it is another request, and posts nothing of its batch", async () => {
    const order = newId("po");
    await world.writes(holdOf(order, payroll, 7));
    const batch = world.writes(
      postingOf([payroll, "Debit", 1], [strict, "Credit", 1]),
      holdOf(order, payroll, 8),
    );
    await expect(batch).rejects.toMatchObject({ name: "InvalidCommand", code: "command_conflict" });
    expect(await balanceOf(strict)).toEqual({ posted: 0, pending: 0, available: 0 });
  });
});

describe("an invalid command", () => {
  it.each([
    ["settles what was never held", () => [settlementOf(newId("po"))], "hold_not_found"],
    [
      "settles twice under another id",
      () => {
        const order = newId("po");
        return [
          holdOf(order, payroll, 1),
          settlementOf(order),
          { ...settlementOf(order), commandId: newUuid() } as LedgerCommand,
        ];
      },
      "hold_not_open",
    ],
    [
      "returns what has not settled",
      () => {
        const order = newId("po");
        return [holdOf(order, payroll, 1), lateReturnOf(order)];
      },
      "not_settled",
    ],
    [
      "releases after the settlement",
      () => {
        const order = newId("po");
        return [holdOf(order, payroll, 1), settlementOf(order), releaseOf(order)];
      },
      "hold_not_open",
    ],
  ])("%s: writes nothing", async (_what, commands, code) => {
    const before = await count("command");
    await expect(world.writes(...commands())).rejects.toMatchObject({ code });
    expect(await count("command")).toBe(before);
  });

  it("is refused a transaction that another command opened in an earlier batch", async () => {
    const first = postingOf([payroll, "Debit", 5], [strict, "Credit", 5]);
    await world.writes(first);
    const before = await count("command");
    const second = {
      ...postingOf([payroll, "Debit", 5], [strict, "Credit", 5]),
      transactionId: first.transactionId,
    };
    await expect(world.writes(second)).rejects.toMatchObject({ code: "transaction_exists", permanent: true });
    expect(await count("command")).toBe(before);
  });

  it("is refused for a book that does not exist", async () => {
    const writing = units.units.run(({ sql }) =>
      postJournals(sql, [{ book: newId("book"), command: settlementOf(newId("po")) }]),
    );
    await expect(writing).rejects.toMatchObject({ code: "book_not_found" });
  });
});

describe("the published outcome", () => {
  const messageOf = <T extends typeof PlaceHold | typeof SettleHold>(
    type: T,
    command: LedgerCommand,
  ): Message<T> => {
    const { kind: _kind, ...data } = command;
    return createMessage(type, { book: sampleBook, subject: "po", data: data as never });
  };
  const consume = (...messages: (Message<typeof PlaceHold> | Message<typeof SettleHold>)[]) =>
    units.units.run((unit) => new PostCommands(new Metrics("ledger")).onCommands(messages, unit));
  const published = async () => (await units.takeMessages()).map(({ type, data }) => [type, data]);

  it("names each journal's sequence, or the refusal; a resend gets it again", async () => {
    await units.takeMessages();
    const [order, poor] = [newId("po"), newId("po")];
    const hold = holdOf(order, payroll, 7);
    const refused = holdOf(poor, strict, 7);
    await consume(
      messageOf(PlaceHold, hold),
      messageOf(PlaceHold, refused),
      messageOf(SettleHold, settlementOf(order)),
    );
    const messages = await published();
    const transactionId = `lt_${order.slice(3)}`;
    const sequence = (messages[0]![1] as { sequence: number }).sequence;
    expect(messages).toEqual([
      ["ledger.hold-placed.v1", { commandId: hold.commandId, orderId: order, transactionId, sequence }],
      [
        "ledger.hold-refused.v1",
        {
          commandId: refused.commandId,
          orderId: poor,
          code: "insufficient_funds",
          detail: `${strict} has 0 cents available and refuses overdraft. Fund it, or move less.`,
        },
      ],
      [
        "ledger.hold-settled.v1",
        { commandId: settlementOf(order).commandId, orderId: order, transactionId, sequence: sequence + 1 },
      ],
    ]);
    await consume(messageOf(PlaceHold, hold), messageOf(PlaceHold, refused));
    expect(await published()).toEqual(messages.slice(0, 2));
  });
});
