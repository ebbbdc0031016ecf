import { hash } from "node:crypto";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { AccrueCommand, AssignCommand, InboundCommand, LedgerCommand } from "./commands.ts";
import type { Journal, Line } from "./journal.ts";

/** The part of a journal that its digest covers. */
export type DigestedJournal = Omit<Journal, "entries"> & {
  readonly entries: readonly (Line & { readonly line: number })[];
};

/**
 * The canonical form of a journal, version 1: the text that its digest covers. Its ids are the public ones, so a
 * verifier needs an export and no database. It includes everything that `decide` decides, and nothing that depends on a
 * clock or a batch (so not `recordedAt`): the same commands give the same chain, however they are split into batches or
 * replayed. To change the form, add a version 2 and keep this one.
 */
export function canonicalJournal(journal: DigestedJournal): string {
  const head = [
    "quittance.ledger.journal.v1",
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
  let lines = "";
  for (const entry of journal.entries) {
    lines += `\n${entry.line} ${entry.accountId} ${entry.currency} ${entry.layer} ${entry.role} ${entry.direction} ${entry.amountCents}`;
  }
  return head + lines;
}

/** SHA-256 of the canonical form, lowercase hexadecimal. */
export function digestOf(journal: DigestedJournal): string {
  return hash("sha256", canonicalJournal(journal), "hex");
}

/** The head of a book without journals, equal to the trigger `book_creates_head`'s. `bookUuid` is the stored id. */
export function firstHead(bookUuid: string): string {
  return hash("sha256", `quittance.ledger.book.v1\n${bookUuid}`, "hex");
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
    case "Assign":
    case "Accrue":
      return [version, book, command.kind, ...fieldsOf(command)].join("\n");
  }
}

function fieldsOf(command: InboundCommand | AssignCommand | AccrueCommand): (string | number)[] {
  switch (command.kind) {
    // The account is left out: a resend keeps the first attribution, even if the number leads elsewhere by now.
    case "Inbound":
      return [command.bankReference, command.contra.kind, command.amountCents, command.currency];
    case "Assign":
      return [command.transactionId, command.ledgerAccountId, command.amountCents, command.currency];
    case "Accrue": {
      const lines = command.lines.map((line) =>
        JSON.stringify([line.amountCents, line.basis.kind, line.description]),
      );
      return [command.transactionId, command.obligationId, ...lines];
    }
  }
}
