import { hash } from "node:crypto";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type {
  AccrueCommand,
  AssignCommand,
  LedgerCommand,
  SentBackCommand,
  UnmatchedReturnCommand,
} from "./commands.ts";
import type { Journal, Line } from "./journal.ts";

/** The part of a journal that its digest covers. */
export type DigestedJournal = Omit<Journal, "entries"> & {
  readonly entries: readonly (Line & { readonly line: number })[];
};

/** The version of a journal's digest. Older journals keep 1; new ones have 2. */
export type DigestVersion = 1 | 2;

/** What a digest depends on besides the journal. */
export interface Digested {
  readonly digestVersion: DigestVersion;
  /** Microseconds, UTC: texts of one width. Version 1 does not cover it. */
  readonly recordedAt: string;
}

/**
 * The canonical form of a journal: the text that its digest covers. Its ids are the public ones, so a verifier needs an
 * export and no database. It includes everything that `decide` decides and, from version 2 on, the digest of the rows
 * beside the journal (`details.ts`). Nothing in it depends on a clock or a batch: the same commands give the same text,
 * however they are split into batches or replayed. To change the form, add a version 3 and keep these.
 */
export function canonicalJournal(journal: DigestedJournal, version: DigestVersion): string {
  const head = [
    `quittance.ledger.journal.v${version}`,
    journal.book,
    journal.sequence,
    journal.kind,
    journal.transactionId,
    journal.orderId ?? "-",
    journal.commandId,
    journal.resolves ?? "-",
    journal.reverses ?? "-",
    journal.effectiveAt,
  ].join("\n");
  let lines = version === 1 ? "" : `\n${journal.detailsDigest ?? "-"}`;
  for (const entry of journal.entries) {
    lines += `\n${entry.line} ${entry.accountId} ${entry.currency} ${entry.layer} ${entry.role} ${entry.direction} ${entry.amountCents}`;
  }
  return head + lines;
}

/** SHA-256 of the canonical form of the newest version, lowercase hexadecimal: the digest before it is recorded. */
export function contentDigestOf(journal: DigestedJournal): string {
  return hash("sha256", canonicalJournal(journal, 2), "hex");
}

/**
 * Version 1: SHA-256 of the canonical form. Version 2: SHA-256 of 40 bytes: the SHA-256 of the canonical form, then the
 * microseconds from 2000 to the record time as a big-endian 64-bit integer. Postgres computes it, because its clock is
 * read under the head's lock (append-journals.ts).
 */
export function digestOf(journal: DigestedJournal, { digestVersion, recordedAt }: Digested): string {
  if (digestVersion === 1) return hash("sha256", canonicalJournal(journal, 1), "hex");
  const bytes = Buffer.allocUnsafe(40);
  bytes.write(contentDigestOf(journal), "hex");
  bytes.writeBigInt64BE(microsSince2000(recordedAt), 32);
  return hash("sha256", bytes, "hex");
}

const year2000 = Date.UTC(2000, 0, 1);

/** `2026-03-02T15:00:00.000001Z` in microseconds. A `Date` would lose the last three digits. */
function microsSince2000(recordedAt: string): bigint {
  const millis = Date.parse(`${recordedAt.slice(0, 23)}Z`) - year2000;
  return BigInt(millis) * 1_000n + BigInt(recordedAt.slice(23, 26));
}

/** The head of a book without journals, equal to the trigger `book_creates_head`'s. `bookUuid` is the stored id. */
export function firstHead(bookUuid: string): string {
  return hash("sha256", `quittance.ledger.book.v1\n${bookUuid}`, "hex");
}

/** An account as the chain of its book's accounts has it. The ids are the stored ones. */
export interface ChainedAccount {
  readonly bookUuid: string;
  /** From 1, in the order in which the accounts were made. */
  readonly position: number;
  readonly accountUuid: string;
  readonly currency: string;
  readonly normalBalance: string;
  readonly class: string;
  readonly name: string;
}

/** The head of a book's accounts before the first one. */
export function firstAccountsHead(bookUuid: string): string {
  return hash("sha256", `quittance.ledger.accounts.v1\n${bookUuid}`, "hex");
}

/** The head of a book's accounts after one more, equal to the trigger `account_joins_chain`'s. */
export function accountsHeadAfter(head: string, account: ChainedAccount): string {
  const { bookUuid, position, accountUuid, currency, normalBalance, class: accountClass, name } = account;
  const form = ["quittance.ledger.account.v1", bookUuid, position, accountUuid, currency, normalBalance];
  return headAfter(head, hash("sha256", [...form, accountClass, name].join("\n"), "hex"));
}

/** The head after one more journal: SHA-256 of the head's and the digest's bytes. */
export function headAfter(head: string, digest: string): string {
  return hash("sha256", Buffer.from(head + digest, "hex"), "hex");
}

/**
 * Two commands with the same hash are the same request. The hash leaves out `effectiveAt`: a resend moves the same
 * money even if its sender dates it anew. The first date counts.
 */
export function requestHash(book: BookId, command: LedgerCommand): string {
  return hash("sha256", canonicalCommand(book, command), "hex");
}

function canonicalCommand(book: BookId, command: LedgerCommand): string {
  const version = "quittance.ledger.command.v1";
  switch (command.kind) {
    case "Hold": {
      const { contra } = command;
      const other =
        contra.kind === "LedgerAccount"
          ? contra.ledgerAccountId
          : contra.kind === "Obligation"
            ? contra.obligationId
            : contra.kind;
      return [
        version,
        book,
        "Hold",
        command.orderId,
        command.direction,
        command.amountCents,
        command.currency,
        command.ledgerAccountId,
        other,
      ].join("\n");
    }
    case "Settle":
    case "Release":
      return [version, book, command.kind, command.orderId].join("\n");
    case "LateReturn":
      return [version, book, "LateReturn", command.orderId, command.returnId].join("\n");
    case "Suspense":
      return [
        version,
        book,
        "Suspense",
        command.orderId,
        command.transactionId,
        command.movement,
        command.direction,
        command.amountCents,
        command.currency,
        command.contra.kind,
      ].join("\n");
    case "Post":
    case "OpenPending": {
      const lines = command.lines.map(
        (line) => `${line.ledgerAccountId} ${line.direction} ${line.amountCents} ${line.currency}`,
      );
      return [version, book, command.kind, command.transactionId, ...lines].join("\n");
    }
    case "PostPending":
    case "VoidPending":
    case "Reverse":
      return [version, book, command.kind, command.transactionId].join("\n");
    case "Inbound":
    case "UnmatchedReturn":
    case "Assign":
    case "Accrue":
      return [version, book, command.kind, ...fieldsOf(command)].join("\n");
  }
}

function fieldsOf(
  command: SentBackCommand | UnmatchedReturnCommand | AssignCommand | AccrueCommand,
): (string | number)[] {
  switch (command.kind) {
    // The account is left out: a resend keeps the first attribution, even if the number leads elsewhere by now.
    case "Inbound":
      return [command.bankReference, command.contra.kind, command.amountCents, command.currency];
    case "UnmatchedReturn": {
      const { bankReference, code, contra, direction, amountCents, currency } = command;
      return [bankReference, code, contra.kind, direction, amountCents, currency];
    }
    case "Assign": {
      const { transactionId, ledgerAccountId, amountCents, currency, direction } = command;
      const charged = direction === "Debit" ? ["Debit"] : [];
      return [transactionId, ledgerAccountId, amountCents, currency, ...charged];
    }
    case "Accrue": {
      const lines = command.lines.map((line) =>
        JSON.stringify([line.amountCents, line.basis.kind, line.description]),
      );
      return [command.transactionId, command.obligationId, ...lines];
    }
  }
}
