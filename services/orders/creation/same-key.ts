import { asError } from "../../platform/as-error.ts";
import { IdempotentReplay, type RequestContext } from "../../platform/handlers/decorators.ts";
import { replay } from "../../platform/rpc/idempotency.ts";
import { idempotencyKeyOf } from "../../platform/rpc/idempotency-store.ts";

interface Keyed {
  readonly request: RequestContext;
}
type Answer<View> = View | IdempotentReplay<View> | Error;
/** Each item that repeats the Idempotency-Key of an earlier one, with that one. */
type Repeats<Item> = ReadonlyMap<Item, Item>;

/** Splits a batch into the first item of each Idempotency-Key, which is executed, and those that repeat its key. */
export function groupByKey<Item extends Keyed>(
  items: readonly Item[],
): { first: Item[]; repeats: Repeats<Item> } {
  const firstByKey = new Map<string, Item>();
  const repeats = new Map<Item, Item>();
  const first: Item[] = [];
  for (const item of items) {
    const key = item.request.idempotency === undefined ? undefined : idempotencyKeyOf(item.request);
    const earlier = key === undefined ? undefined : firstByKey.get(key);
    if (earlier !== undefined) {
      repeats.set(item, earlier);
      continue;
    }
    if (key !== undefined) firstByKey.set(key, item);
    first.push(item);
  }
  return { first, repeats };
}

/**
 * Gives each repeat the answer of the first item of its key. If the first is refused, the key is free again. A repeat
 * with another body then goes to `retry`, because it may be valid.
 */
export async function answerRepeats<Item extends Keyed, View extends { readonly id: string }>(
  items: readonly Item[],
  repeats: Repeats<Item>,
  answers: ReadonlyMap<Item, Answer<View> | undefined>,
  retry: (items: readonly Item[]) => Promise<readonly Answer<View>[]>,
): Promise<readonly Answer<View>[]> {
  const freed = [...repeats].filter(
    ([repeat, first]) => answers.get(first) instanceof Error && !isSameRequest(first, repeat),
  );
  const retriedAnswers = freed.length === 0 ? [] : await retry(freed.map(([repeat]) => repeat));
  const retried = new Map(freed.map(([repeat], index) => [repeat, retriedAnswers[index]] as const));
  return items.map((item) => {
    const first = repeats.get(item) ?? item;
    const answer = retried.get(item) ?? answers.get(first);
    if (answer === undefined) return new Error("a request was left without an answer");
    return first === item || retried.has(item) ? answer : replayTo(item, first, answer);
  });
}

function isSameRequest(one: Keyed, other: Keyed): boolean {
  return one.request.idempotency?.fingerprint === other.request.idempotency?.fingerprint;
}

function replayTo<View extends { readonly id: string }>(
  repeat: Keyed,
  first: Keyed,
  answer: Answer<View>,
): Answer<View> {
  if (answer instanceof Error) return answer;
  const view = answer instanceof IdempotentReplay ? answer.value : answer;
  try {
    return replay<View>(
      { fingerprint: first.request.idempotency?.fingerprint ?? "", resource_id: view.id, response: view },
      repeat.request.idempotency?.fingerprint ?? "",
    );
  } catch (error) {
    return asError(error);
  }
}
