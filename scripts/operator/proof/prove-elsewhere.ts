/** What a book's own rows can't prove: that orders, and a file of earlier heads, know the same book. */
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { BookHeads } from "../../../contracts/messages/books.ts";
import { holdsOfOrders, statesOfHolds } from "../../../services/ledger/audit/store/holds-of-orders.ts";
import { headsAt } from "../../../services/ledger/audit/store/published-checkpoints.ts";
import type { Proof } from "../../../services/ledger/audit/verify-book.ts";
import type { Violation } from "../../../services/ledger/book/violation.ts";
import {
  readTransactionPolicy,
  type TransactionPolicy,
} from "../../../services/ledger/transactions/store/transaction-policies.ts";
import { transactionPolicyOf } from "../../../services/orders/approval-policies/replace-policy.ts";
import { isHoldOfPhase } from "../../../services/orders/order/hold-of-phase.ts";
import {
  booksWithCheckpoints,
  ledgerCheckpointsOf,
} from "../../../services/orders/proof/store/ledger-checkpoints.ts";
import { policiesForProof } from "../../../services/orders/proof/store/policies-for-proof.ts";
import { missingOrders, phasesOfOrders } from "../../../services/orders/proof/store/orders-for-proof.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";

const maxViolationsPerCheck = 10;

/** Runs statements of orders in the ledger's snapshot, so that nothing can happen between the reads of the two. */
const inOrders =
  (sql: Sql): Sql =>
  async (text, params) => {
    await sql("set local search_path = orders");
    const rows = await sql(text, params);
    await sql("set local search_path = ledger");
    return rows as never;
  };

/** Compares a book with what orders knows of it. */
export async function violationsAgainstOrders(sql: Sql, { book, journals }: Proof): Promise<Violation[]> {
  const found: Violation[] = [];
  for await (const published of ledgerCheckpointsOf(inOrders(sql), book)) {
    found.push(...(await violationsOfHeads(sql, book, published, "orders has")));
  }
  return [
    ...found.slice(0, maxViolationsPerCheck),
    ...(await holdsWithoutOrder(sql, book, journals)),
    ...(await ordersWithoutHold(sql, book)),
    ...(await policyUnlikeOrders(sql, book)),
  ];
}

/** The books of which orders has checkpoints. */
export const booksKnownToOrders = (sql: Sql): Promise<BookId[]> => booksWithCheckpoints(inOrders(sql));

/** A violation for each of these heads that the book no longer has at its position. */
export async function violationsOfHeads(
  sql: Sql,
  book: BookId,
  known: readonly BookHeads[],
  knownBy: string,
): Promise<Violation[]> {
  const stored = await headsAt(sql, book, known);
  return known.flatMap(({ journals, head, accounts, accountsHead }, index): Violation[] => {
    const own = stored[index];
    const differs = (what: string, place: number, its: string, is: string | null | undefined) =>
      its === is
        ? []
        : [
            {
              check: "no known head is lost",
              detail: `${what} ${place}: ${knownBy} ${its}, the book has ${is ?? "none"}`,
            },
          ];
    return [
      ...differs("journal", journals, head, own?.head),
      ...differs("account", accounts, accountsHead, own?.accountsHead),
    ];
  });
}

async function holdsWithoutOrder(sql: Sql, book: BookId, journals: number): Promise<Violation[]> {
  const found: Violation[] = [];
  for await (const holds of holdsOfOrders(sql, book, journals)) {
    const missing = new Set(
      await missingOrders(
        inOrders(sql),
        book,
        holds.map(({ orderId }) => orderId),
      ),
    );
    for (const { sequence, orderId } of holds) {
      if (!missing.has(orderId)) continue;
      found.push({ check: "every hold has its order", detail: `journal ${sequence} holds for ${orderId}` });
      if (found.length === maxViolationsPerCheck) return found;
    }
  }
  return found;
}

async function ordersWithoutHold(sql: Sql, book: BookId): Promise<Violation[]> {
  const found: Violation[] = [];
  for await (const orders of phasesOfOrders(inOrders(sql), book)) {
    const states = await statesOfHolds(
      sql,
      book,
      orders.map(({ id }) => id),
    );
    for (const [index, { id, phase }] of orders.entries()) {
      const hold = states[index] ?? "None";
      if (isHoldOfPhase(phase, hold)) continue;
      found.push({ check: "every order has its hold", detail: `${id} is ${phase}, its hold is ${hold}` });
      if (found.length === maxViolationsPerCheck) return found;
    }
  }
  return found;
}

/**
 * The ledger's copy of the approval policy must be the version of orders that it says it is, and require what the
 * policy in force requires, unless that is new. Without a copy, the ledger requires nothing.
 */
async function policyUnlikeOrders(sql: Sql, book: BookId): Promise<Violation[]> {
  const copy = await readTransactionPolicy(sql, book);
  const { inForce, then } = await policiesForProof(inOrders(sql), book, copy?.version ?? 0);
  const isForged =
    copy !== undefined && (then === undefined || textOf(copy) !== textOf(transactionPolicyOf(then)));
  const isLeft =
    inForce !== undefined &&
    !inForce.isNew &&
    requirementOf(copy) !== requirementOf(transactionPolicyOf(inForce));
  if (!isForged && !isLeft) return [];
  const known = isForged ? then : inForce;
  const ordersHas = known === undefined ? "none" : textOf(transactionPolicyOf(known));
  const detail = `orders has ${ordersHas}, the ledger ${copy === undefined ? "none" : textOf(copy)}`;
  return [{ check: "the ledger has the approval policy of orders", detail }];
}

function textOf({ version, approvalRequired, thresholdCents }: TransactionPolicy): string {
  const requirement = approvalRequired ? "an approval" : "no approval";
  return `version ${String(version)} (${requirement} above ${String(thresholdCents)} cents)`;
}

/** The amount above which an approval is required; null if none is. */
function requirementOf(policy: TransactionPolicy | undefined): number | null {
  return policy?.approvalRequired === true ? policy.thresholdCents : null;
}
