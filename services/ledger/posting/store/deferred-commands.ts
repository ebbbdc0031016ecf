import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../../contracts/message.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/**
 * Two messages with the same key are one deferred command: its id and a hash of what it asks (SHA-256, hexadecimal).
 */
export interface CommandKey {
  readonly commandId: string;
  readonly requestHash: string;
}

export interface DeferredCommand {
  readonly position: bigint;
  readonly message: AnyMessage;
}

/**
 * Stores messages for frozen books in their order, each command once. The heads must be locked, so the order is fixed.
 */
export async function insertDeferredCommands(
  sql: Sql,
  commands: readonly { readonly message: AnyMessage; readonly key: CommandKey }[],
): Promise<void> {
  await sql(
    `insert into deferred_command (book_id, command_id, request_hash, message)
     select book_id, command_id, decode(request_hash, 'hex'), message
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) with ordinality
       as u (book_id, command_id, request_hash, message, position)
     order by position
     on conflict on constraint deferred_command_unique do nothing`,
    [
      commands.map(({ message }) => uuidOf(message.book)),
      commands.map(({ key }) => key.commandId),
      commands.map(({ key }) => key.requestHash),
      commands.map(({ message }) => JSON.stringify(message)),
    ],
  );
}

/** Why a command can't be run. */
export interface CommandFailure {
  readonly text: string;
  readonly code: string | null;
}

export function failureOf(error: unknown): CommandFailure {
  if (!(error instanceof Error)) return { text: String(error), code: null };
  return { text: error.message, code: "code" in error && typeof error.code === "string" ? error.code : null };
}

/** The oldest deferred commands of a book, in their order. */
export async function nextDeferredCommands(
  sql: Sql,
  book: BookId,
  count: number,
): Promise<DeferredCommand[]> {
  const rows = await sql<{ position: bigint; message: string }>(
    `select position, message
     from deferred_command
     where book_id = $1
       and failure is null
     order by position
     limit $2`,
    [uuidOf(book), count],
  );
  return rows.map(({ position, message }) => ({ position, message: JSON.parse(message) as AnyMessage }));
}

/** Deletes commands in the transaction that ran them. */
export async function deleteDeferredCommands(
  sql: Sql,
  book: BookId,
  commands: readonly DeferredCommand[],
): Promise<void> {
  await sql("delete from deferred_command where book_id = $1 and position = any($2::bigint[])", [
    uuidOf(book),
    commands.map(({ position }) => position),
  ]);
}

/** Stores why a command can't be run. It stays for an operator, and the other commands continue. */
export async function quarantineCommand(
  sql: Sql,
  book: BookId,
  { position }: DeferredCommand,
  failure: CommandFailure,
): Promise<void> {
  await sql(
    "update deferred_command set failure = $3, failure_code = $4 where book_id = $1 and position = $2",
    [uuidOf(book), position, failure.text, failure.code],
  );
}

/**
 * The number of quarantined commands of all books, up to 10,000. It has the order of an index of them alone: otherwise
 * a planner without statistics reads the whole table, which is large while a busy book is frozen.
 */
export async function countQuarantined(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: bigint }>(
    `select count(*) as count
     from (
       select
       from deferred_command
       where failure is not null
       order by book_id, position
       limit 10000
     ) q`,
  );
  return Number(row?.count);
}

/** A quarantined command of a book, or undefined. Call it under the head's lock. */
export async function findQuarantined(
  sql: Sql,
  book: BookId,
  position: number,
): Promise<(DeferredCommand & { readonly commandId: string }) | undefined> {
  const [row] = await sql<{ position: bigint; command_id: string; message: string }>(
    `select position, command_id, message
     from deferred_command
     where book_id = $1
       and position = $2
       and failure is not null`,
    [uuidOf(book), position],
  );
  if (row === undefined) return undefined;
  const message = JSON.parse(row.message) as AnyMessage;
  return { position: row.position, commandId: row.command_id, message };
}

/** One try of a quarantined command. */
export interface CommandRetry extends DeferredCommand {
  readonly commandId: string;
  /** `operator:` and a name. */
  readonly actor: string;
  readonly reason: string;
  /** Null if it was applied. */
  readonly failure: string | null;
}

/** Appends a try. The caller holds the lock of the book's head. */
export async function insertRetry(sql: Sql, book: BookId, retry: CommandRetry): Promise<void> {
  await sql(
    `insert into command_retry (book_id, position, number, command_id, message_type, actor, reason, failure)
     select $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7
     from command_retry
     where book_id = $1
       and position = $2`,
    [
      uuidOf(book),
      retry.position,
      retry.commandId,
      retry.message.type,
      retry.actor,
      retry.reason,
      retry.failure,
    ],
  );
}

/** A deferred command: it waits for its turn, or is quarantined. */
export interface FoundCommand {
  readonly position: bigint;
  readonly commandId: string;
  /** As it was stored. */
  readonly text: string;
  readonly message: AnyMessage;
  /** Why it is quarantined; null if it waits. */
  readonly failure: string | null;
}

/** The deferred command at a position, or undefined. Call it under the head's lock. */
export async function findDeferred(
  sql: Sql,
  book: BookId,
  position: number,
): Promise<FoundCommand | undefined> {
  const [row] = await sql<Omit<FoundCommand, "message">>(
    `select position, command_id as "commandId", message as text, failure
     from deferred_command
     where book_id = $1
       and position = $2`,
    [uuidOf(book), position],
  );
  return row === undefined ? undefined : { ...row, message: JSON.parse(row.text) as AnyMessage };
}

/** Who decides, and why. `actor` is `operator:` and a name. */
export interface Decided {
  readonly actor: string;
  readonly reason: string;
}

/** What an operator decided about a deferred command. */
export interface CommandDecision extends Decided {
  readonly kind: "LeftOut" | "DropProposed" | "Dropped";
  readonly recordedAt: Date;
}

/** The decisions about a command, oldest first. Call it under the head's lock. */
export function decisionsAbout(sql: Sql, book: BookId, position: number): Promise<CommandDecision[]> {
  return sql<CommandDecision>(
    `select kind, actor, reason, recorded_at as "recordedAt"
     from command_decision
     where book_id = $1
       and position = $2
     order by number`,
    [uuidOf(book), position],
  );
}

/** Appends a decision; of a dropped command with its whole message. The caller holds the lock of the book's head. */
export async function insertDecision(
  sql: Sql,
  book: BookId,
  command: FoundCommand,
  { kind, actor, reason }: Decided & Pick<CommandDecision, "kind">,
): Promise<void> {
  await sql(
    `insert into command_decision
       (book_id, position, number, kind, command_id, message_type, actor, reason, failure, message)
     select $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7, $8, $9
     from command_decision
     where book_id = $1
       and position = $2`,
    [
      uuidOf(book),
      command.position,
      kind,
      command.commandId,
      command.message.type,
      actor,
      reason,
      command.failure,
      kind === "Dropped" ? command.text : null,
    ],
  );
}
