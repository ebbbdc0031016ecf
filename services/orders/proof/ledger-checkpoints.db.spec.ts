import { expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { CheckpointMade } from "../../../contracts/messages/books.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { LedgerCheckpoints } from "./ledger-checkpoints.consumer.ts";
import { ledgerCheckpointsOf } from "./store/ledger-checkpoints.ts";

const orders = await forThisFile(openFreshUnits("orders"));
const admin = await forThisFile(connectTo(orders.adminUrl));
const book = bookIdOf(newId("ten"), "Test");
const made = (journals: number, digit: string) => ({
  journals,
  head: digit.repeat(64),
  accounts: 8,
  accountsHead: "a".repeat(64),
});

async function comes(...checkpoints: ReturnType<typeof made>[]): Promise<void> {
  const messages = checkpoints.map((data) => createMessage(CheckpointMade, { book, subject: book, data }));
  await orders.units.run((unit) => new LedgerCheckpoints().onCheckpoint(messages, unit));
}

it("keeps each checkpoint once, and another head of the same journals beside it", async () => {
  await comes(made(5, "1"), made(9, "2"));
  await comes(made(9, "2"), made(9, "3"));
  const kept = [];
  for await (const page of ledgerCheckpointsOf(orders.database.sql, book)) kept.push(...page);
  expect(kept).toHaveLength(3);
  expect(kept).toEqual(expect.arrayContaining([made(5, "1"), made(9, "2"), made(9, "3")]));
});

it.each([
  "update orders.ledger_checkpoint set journals = journals - 1",
  "delete from orders.ledger_checkpoint",
  "truncate orders.ledger_checkpoint",
])("refuses a superuser's %s, in the replica role too", async (attack) => {
  await admin.query("set session_replication_role = replica");
  await expect(admin.query(attack)).rejects.toMatchObject({ constraint: "ledger_checkpoint_append_only" });
});
