import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import { type BookId, isId } from "../../../contracts/ids/ids.ts";
import { asError } from "../../platform/as-error.ts";
import { IdempotentReplay, type RequestContext } from "../../platform/handlers/decorators.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { replay } from "../../platform/rpc/idempotency.ts";
import { idempotencyKeyOf, insertNewAnswers, readAnswers } from "../../platform/rpc/idempotency-store.ts";
import { firstAnswer, isPartial, type StoredAnswer, storedAnswerOf } from "../order/created-answer.ts";
import type { Transition } from "../order/transition.ts";
import { readOrder } from "../store/payment-orders.ts";

const operation = "create-order";

interface Keyed {
  readonly request: RequestContext;
}
interface Created extends Keyed {
  readonly transition: Transition;
  readonly view: PaymentOrderView;
}

/** Answers items whose key is known: with the first answer, or a refusal if the key was used otherwise. */
export async function replayAnswers<Item extends Keyed>(
  sql: Sql,
  items: readonly Item[],
  answers: Map<Item, PaymentOrderView | IdempotentReplay<PaymentOrderView> | Error>,
): Promise<void> {
  const keyed = items.filter(({ request }) => request.idempotency !== undefined);
  const known = await readAnswers(
    sql,
    keyed.map(({ request }) => request),
    operation,
  );
  const replayed: Promise<unknown>[] = [];
  for (const item of keyed) {
    const { caller, idempotency } = item.request;
    const answer = known.get(idempotencyKeyOf(item.request));
    if (answer === undefined || idempotency === undefined) continue;
    try {
      const { value } = replay<StoredAnswer>(answer, idempotency.fingerprint);
      const whole = wholeAnswer(sql, caller.book, answer.resource_id, value);
      replayed.push(whole.then((view) => answers.set(item, new IdempotentReplay(view))));
    } catch (error) {
      answers.set(item, asError(error));
    }
  }
  await Promise.all(replayed);
}

async function wholeAnswer(
  sql: Sql,
  book: BookId,
  id: string,
  stored: StoredAnswer,
): Promise<PaymentOrderView> {
  if (!isPartial(stored)) return stored;
  const found = isId("po", id) ? await readOrder(sql, book, id) : undefined;
  if (found === undefined) throw new Error(`the order ${id} of a stored key is missing`);
  return firstAnswer(stored, found.order, found.history);
}

/**
 * Stores the keys with their answers or, if `partly`, with what the orders' rows don't tell of them. Instances of the
 * version before can't complete those.
 */
export function insertCreateAnswers(sql: Sql, created: readonly Created[], partly: boolean): Promise<void> {
  const keyed = created.filter(({ request }) => request.idempotency !== undefined);
  return insertNewAnswers(
    sql,
    operation,
    keyed.map(({ request, view, transition: { order, history } }) => ({
      request,
      resourceId: view.id,
      response: partly ? storedAnswerOf(order, history, view) : view,
    })),
  );
}
