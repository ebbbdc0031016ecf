import type { z } from "zod";
import type { inboundRail } from "../../../../contracts/http/ledger/inbound-payments.ts";
import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { OrderDirection, EncryptedAccountNumber } from "../../../../contracts/rails/rails.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** A transfer in the bank's records that somebody else sent. */
export interface InboundTransfer {
  readonly book: BookId;
  readonly bankReference: string;
  readonly rail: z.output<typeof inboundRail>;
  readonly direction: OrderDirection;
  readonly amountCents: number;
  readonly originatorName: string;
  readonly accountNumber: Pick<EncryptedAccountNumber, "keyId" | "ciphertext">;
  readonly occurredAt: Date;
}

interface Row {
  rail: InboundTransfer["rail"];
  direction: OrderDirection;
  amount_cents: bigint;
  originator_name: string;
  account_key_id: string;
  account_ciphertext: string;
  occurred_at: Date;
}

/** Books a transfer unless the book has one with its bank reference. Returns the one that is stored. */
export async function insertOnce(sql: Sql, transfer: InboundTransfer): Promise<InboundTransfer> {
  const { book, bankReference } = transfer;
  // The insert waits for a concurrent one of the same bank reference, so the select after it sees the committed row.
  await sql(
    `insert into inbound_transfer (book_id, bank_reference, rail, direction, amount_cents, originator_name,
       account_key_id, account_ciphertext, occurred_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict do nothing`,
    [
      uuidOf(book),
      bankReference,
      transfer.rail,
      transfer.direction,
      transfer.amountCents,
      transfer.originatorName,
      transfer.accountNumber.keyId,
      transfer.accountNumber.ciphertext,
      transfer.occurredAt.toISOString(),
    ],
  );
  const [row] = await sql<Row>(
    `select rail, direction, amount_cents, originator_name, account_key_id, account_ciphertext, occurred_at
     from inbound_transfer
     where book_id = $1
       and bank_reference = $2`,
    [uuidOf(book), bankReference],
  );
  if (row === undefined) throw new TypeError(`${bankReference} was inserted but not found`);
  return {
    book,
    bankReference,
    rail: row.rail,
    direction: row.direction,
    amountCents: Number(row.amount_cents),
    originatorName: row.originator_name,
    accountNumber: { keyId: row.account_key_id, ciphertext: row.account_ciphertext },
    occurredAt: row.occurred_at,
  };
}
