import { Controller, Inject } from "@nestjs/common";
import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import { CreateOrder as CreateOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { replay } from "../../platform/rpc/idempotency.ts";
import { idempotencyKeyOf, insertAnswers, readAnswers } from "../../platform/rpc/idempotency-store.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { asError } from "../../platform/as-error.ts";
import { bisect } from "../../platform/bisect.ts";
import { MicroBatch } from "../../platform/persistence/micro-batch.ts";
import { type Transition, start } from "../order/transition.ts";
import { checkBookOpen } from "../order/submission-controls.ts";
import type { DailyUsage } from "../order/daily-limit.ts";
import { viewOf } from "../order/order-view.ts";
import { setPayee } from "../order/payee.ts";
import type { PaymentOrder, StatusChange } from "../order/payment-order.ts";
import { type CreateBody, BuildDraft } from "./build-draft.ts";
import { type PayeeOf, lookUpPayees } from "./payee-lookup.ts";
import { lockDailyLimitShared } from "../store/daily-usage.ts";
import { insertOrders } from "../store/payment-orders.ts";
import { Submission } from "./submit.ts";
import { type BookContextOf, BookContexts } from "../lifecycle/book-context.ts";
import { type Caused, insertHistoryAndPublish } from "../lifecycle/save-transitions.ts";

interface Creation {
  readonly body: CreateBody;
  readonly request: RequestContext;
  /** Or why there can be none; a known key is answered all the same. */
  readonly draft: PaymentOrder | Error;
}
type Answer = PaymentOrderView | IdempotentReplay<PaymentOrderView>;
/** An order that is ready to be written, with the answer that its caller will get. */
interface Ready extends Caused {
  readonly request: RequestContext;
  readonly view: PaymentOrderView;
}

/**
 * Creates payment orders. Whatever queued while the last transaction ran shares the next one, so that under load a
 * commit carries up to 64 orders with their keys, histories and commands.
 */
@Controller()
export class CreateOrder {
  readonly #units: UnitOfWorkRunner;
  readonly #drafts: BuildDraft;
  readonly #submission: Submission;
  readonly #contexts: BookContexts;
  readonly #batches = new MicroBatch<Creation, Answer>((creations) => this.#run(creations), {
    most: 64,
    inFlight: 2,
  });

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(BuildDraft) drafts: BuildDraft,
    @Inject(Submission) submission: Submission,
    @Inject(BookContexts) contexts: BookContexts,
  ) {
    this.#units = units;
    this.#drafts = drafts;
    this.#submission = submission;
    this.#contexts = contexts;
  }

  @HandlesRequest(CreateOrderRequest)
  async create(body: CreateBody, request: RequestContext): Promise<Answer> {
    // Before the batch: an account that is not known yet is asked of the ledger, and only its own caller waits for it.
    const draft = await this.#drafts.draft(body, request).catch((error: unknown) => asError(error));
    return this.#batches.add({ body, request, draft });
  }

  async #run(creations: readonly Creation[]): Promise<readonly (Answer | Error)[]> {
    const { leaders, followers } = splitByKey(creations);
    const results = await bisect<Creation, Answer | Error>(
      leaders,
      (together) => this.#units.run((unit) => this.#createAll(unit, together)),
      (failed, error) => failed.map(() => asError(error)),
    );
    const answers = new Map(leaders.map((leader, index) => [leader, results[index]] as const));
    // A refusal frees the key: another body under it must not be refused for its leader's fault.
    const freed = creations.filter((creation) => {
      const leader = followers.get(creation);
      return leader !== undefined && answers.get(leader) instanceof Error && !isSameRequest(leader, creation);
    });
    const retried = freed.length === 0 ? [] : await this.#run(freed);
    return creations.map((creation) => {
      const again = retried[freed.indexOf(creation)];
      if (again !== undefined) return again;
      const leader = followers.get(creation);
      const answer = answers.get(leader ?? creation) ?? new Error("a creation was left without an answer");
      return leader === undefined ? answer : followLeader(leader, creation, answer);
    });
  }

  /** The look-up of a key precedes every control; the key is kept with the order, and only for a success. */
  async #createAll(unit: UnitOfWork, creations: readonly Creation[]): Promise<(Answer | Error)[]> {
    const answers = new Map<Creation, Answer | Error>();
    const keyed = creations.filter(({ request }) => request.idempotency !== undefined);
    const asks = keyed.map(({ request }) => request);
    const books = creations.map(({ request }) => request.caller.book);
    const drafts = creations.flatMap(({ draft }) => (draft instanceof Error ? [] : [draft]));
    const [, stored, contextOf, payeeOf] = await Promise.all([
      lockDailyLimitShared(unit.sql, books),
      readAnswers(unit.sql, asks),
      this.#contexts.of(unit.sql, books),
      lookUpPayees(unit.sql, drafts),
    ]);
    answerFrom(stored, keyed, answers);
    const submitted = creations.flatMap((creation) => submittedDraft(creation, answers));
    const usage = await this.#submission.lockUsage(unit.sql, submitted, contextOf);
    const ready = this.#prepare(creations, { contextOf, usage, payeeOf }, answers);
    const lost = await keepOwn(unit, ready);
    // Whoever held the key first has committed by now: its answer is there.
    answerFrom(
      await readAnswers(
        unit.sql,
        [...lost].map(({ request }) => request),
      ),
      [...lost],
      answers,
    );
    const won = [...ready].filter(([creation]) => !lost.has(creation));
    const orders = won.map(([, { advance }]) => advance.order);
    const caused = won.map(([, ready]) => ready);
    await Promise.all([insertOrders(unit.sql, orders), insertHistoryAndPublish(unit, caused)]);
    for (const [creation, { view }] of won) answers.set(creation, view);
    return creations.map(
      (creation) => answers.get(creation) ?? new Error("a creation was left without an answer"),
    );
  }

  /** Runs the controls on what no key has answered yet. */
  #prepare(
    creations: readonly Creation[],
    { contextOf, usage, payeeOf }: { contextOf: BookContextOf; usage: DailyUsage; payeeOf: PayeeOf },
    answers: Map<Creation, Answer | Error>,
  ): Map<Creation, Ready> {
    const open = creations.filter((creation) => !answers.has(creation));
    const ready = new Map<Creation, Ready>();
    for (const creation of open) {
      const { body, request, draft } = creation;
      try {
        checkBookOpen(contextOf(request.caller));
        if (draft instanceof Error) throw draft;
        const advance = start(draft);
        setPayee(advance, payeeOf(draft));
        advance.history.push(draftEntry(advance));
        if (body.submit !== false)
          this.#submission.submit(advance, request.caller.principal, contextOf(request.caller), usage);
        ready.set(creation, {
          request,
          advance,
          cause: request,
          view: viewOf(advance.order, advance.history),
        });
      } catch (error) {
        answers.set(creation, asError(error));
      }
    }
    return ready;
  }
}

/** The order of a creation that is to be submitted at once and was not answered yet. */
function submittedDraft(
  creation: Creation,
  answers: ReadonlyMap<Creation, Answer | Error>,
): [PaymentOrder] | [] {
  const { draft, body } = creation;
  return answers.has(creation) || draft instanceof Error || body.submit === false ? [] : [draft];
}

/** History begins at Draft, also for an order that is submitted with its creation. */
export function draftEntry({ order }: Pick<Transition, "order">): StatusChange {
  return { position: 0, from: null, to: "Draft", at: order.createdAt, actor: order.createdBy, reason: null };
}

/** Gives those whose key is known the answer it was given before, or the refusal of a key used otherwise. */
function answerFrom(
  stored: Awaited<ReturnType<typeof readAnswers>>,
  creations: readonly Creation[],
  answers: Map<Creation, Answer | Error>,
): void {
  for (const creation of creations) {
    const { request } = creation;
    const answer = stored.get(idempotencyKeyOf(request));
    if (answer === undefined || request.idempotency === undefined) continue;
    try {
      answers.set(creation, replay<PaymentOrderView>(answer, request.idempotency.fingerprint));
    } catch (error) {
      answers.set(creation, asError(error));
    }
  }
}

/** Keeps the keys of what is ready, and gives the creations whose key somebody else had taken meanwhile. */
async function keepOwn(unit: UnitOfWork, ready: ReadonlyMap<Creation, Ready>): Promise<Set<Creation>> {
  const keyed = [...ready].filter(([{ request }]) => request.idempotency !== undefined);
  const own = await insertAnswers(
    unit.sql,
    keyed.map(([, { request, view }]) => ({
      ask: request,
      operation: "create-order",
      resourceId: view.id,
      response: view,
    })),
  );
  return new Set(
    keyed.filter(([{ request }]) => !own.has(idempotencyKeyOf(request))).map(([creation]) => creation),
  );
}

/** Within one batch the first of a key leads; the others get what it gets. */
function splitByKey(creations: readonly Creation[]): {
  leaders: Creation[];
  followers: Map<Creation, Creation>;
} {
  const first = new Map<string, Creation>();
  const followers = new Map<Creation, Creation>();
  const leaders: Creation[] = [];
  for (const creation of creations) {
    const leader =
      creation.request.idempotency === undefined ? undefined : first.get(idempotencyKeyOf(creation.request));
    if (leader !== undefined) {
      followers.set(creation, leader);
      continue;
    }
    if (creation.request.idempotency !== undefined) first.set(idempotencyKeyOf(creation.request), creation);
    leaders.push(creation);
  }
  return { leaders, followers };
}

function isSameRequest(one: Creation, other: Creation): boolean {
  return one.request.idempotency?.fingerprint === other.request.idempotency?.fingerprint;
}

function followLeader(leader: Creation, follower: Creation, answer: Answer | Error): Answer | Error {
  if (answer instanceof Error) return answer;
  const view = answer instanceof IdempotentReplay ? answer.value : answer;
  try {
    return replay<PaymentOrderView>(
      { fingerprint: leader.request.idempotency?.fingerprint ?? "", resource_id: view.id, response: view },
      follower.request.idempotency?.fingerprint ?? "",
    );
  } catch (error) {
    return asError(error);
  }
}
