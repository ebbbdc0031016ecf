/** `npm run books`: the commands about deferred commands of the ledger. */
import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import { DropCommand, QuarantineCommand, RetryCommand } from "../../../contracts/messages/books.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { type Decided, decision } from "../command-line/decision.ts";
import type { Given } from "../command-line/given.ts";
import type { Tool } from "../command-line/tool.ts";
import { positionOf, printRetry } from "../messages/quarantined.ts";
import { callerOf, decisionOf, inLedger, withRpc } from "./decision.ts";

/** The ledger applies the command, or it stays quarantined with its new failure. */
async function retry(sql: Sql, given: Given): Promise<void> {
  const { book, position, event } = commandOf(given);
  const caller = await callerOf(sql, book, event.by);
  await withRpc(async (rpc) => {
    const { value } = await rpc.request(RetryCommand, { caller }, { ...event, position });
    printRetry(given, { book, position }, value);
  });
}

async function quarantine(sql: Sql, given: Given): Promise<void> {
  const { book, position, event } = commandOf(given);
  const caller = await callerOf(sql, book, event.by);
  await withRpc(async (rpc) => {
    const { value } = await rpc.request(QuarantineCommand, { caller }, { ...event, position });
    const { isNew, failure } = value;
    const command = `${book}  command ${String(position)}`;
    given.print(
      { book, position, state: "Quarantined", isNew, failure },
      isNew
        ? `quarantined  ${command}: the replay leaves it out`
        : `${command} was quarantined before, nothing is changed: ${failure}`,
    );
  });
}

/** The ledger deletes the command and keeps its message, or stores a proposal. */
async function drop(sql: Sql, given: Given): Promise<void> {
  const { book, position, event } = commandOf(given);
  const caller = await callerOf(sql, book, event.by);
  await withRpc(async (rpc) => {
    const { value } = await rpc.request(DropCommand, { caller }, { ...event, position });
    const { outcome, warning } = value;
    const { message, by, at } = await dropped(sql, book, position);
    const command = `${book}  command ${String(position)}`;
    const line = {
      Dropped: `dropped  ${command}: its message stays in ledger.command_decision`,
      DroppedBefore: `${command} was dropped before, by ${by} at ${at.toISOString()}: nothing is changed`,
      Proposed: `proposed  ${command}: it is dropped once another operator runs the same command`,
    }[outcome];
    given.print(
      { book, position, outcome, warning, message: JSON.parse(message) as unknown },
      line,
      ...(warning === null ? [] : [`  ${warning}`]),
      `  ${message}`,
    );
  });
}

/** The message of a command that was dropped, or is to be dropped, and who decided so. */
async function dropped(sql: Sql, book: BookId, position: number) {
  const [row] = await sql<{ message: string; by: string; at: Date }>(
    `select coalesce(d.message, c.message) as message, d.actor as by, d.recorded_at as at
     from command_decision d
     left join deferred_command c on c.book_id = d.book_id and c.position = d.position
     where d.book_id = $1
       and d.position = $2
       and d.kind in ('Dropped', 'DropProposed')
     order by d.number desc
     limit 1`,
    [uuidOf(book), position],
  );
  if (row === undefined)
    throw new Error(`no decision about command ${String(position)} of ${book} is stored`);
  return row;
}

/** The book, the command's position in it, and the operator's name and reason. */
function commandOf(given: Given): { book: BookId; position: number; event: Decided } {
  const position = positionOf(given.argument(1));
  return { ...decisionOf(given), position };
}

const named = {
  takes: ["<book id>", "<position>"],
  options: decision,
  changes: true,
  check: commandOf,
} as const;

export const deferredCommands: Tool["commands"] = {
  retry: {
    about: "have the ledger try a quarantined command of an open book again",
    ...named,
    run: (given) => inLedger((sql) => retry(sql, given)),
  },
  quarantine: {
    about: "leave a deferred command of a frozen book out, so that the others are replayed",
    ...named,
    run: (given) => inLedger((sql) => quarantine(sql, given)),
  },
  drop: {
    about:
      "drop a quarantined command for good; its message is kept. If the bank has moved\nits money, one operator proposes, another runs the same command",
    ...named,
    run: (given) => inLedger((sql) => drop(sql, given)),
  },
};
