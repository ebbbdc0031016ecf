import { Inject, Injectable } from "@nestjs/common";
import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import { asError } from "../../platform/as-error.ts";
import { bisect } from "../../platform/bisect.ts";
import type { IdempotentReplay, RequestContext } from "../../platform/handlers/decorators.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { isFaultOfRows } from "../../platform/persistence/infrastructure-fault.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import { earliestDeadline, refuseIfLate } from "../../platform/handlers/deadline.ts";
import { isKeyTaken } from "../../platform/rpc/idempotency-store.ts";
import { CONFIG, type OrdersConfig } from "../config.ts";
import { type BookContextOf, BookContexts } from "../lifecycle/book-context.ts";
import { type CausedTransition, insertTransitions } from "../lifecycle/save-transitions.ts";
import type { DailyUsage } from "../order/daily-limit.ts";
import { viewOf } from "../order/order-view.ts";
import { withCounterpartyDetails } from "../order/counterparty-snapshot.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { checkBookOpen } from "../order/submission-controls.ts";
import { applyAll, draftCreated, type Transition } from "../order/transition.ts";
import { lockDailyLimitShared } from "../store/daily-usage.ts";
import type { CreateBody } from "./build-draft.ts";
import { insertCreateAnswers, replayAnswers } from "./create-answers.ts";
import { answerRepeats, groupByKey } from "./same-key.ts";
import { lookUpCounterparties, type CounterpartyOf } from "./counterparty-lookup.ts";
import { Submission } from "./submit.ts";

/** A batch waits this long for a lock, and no transaction means to hold one for a tenth of this. */
const lockTimeoutMs = 500;

/** The answer for each creation of a batch that met a lock: one of its books may have locked rows. */
export class MustRunApart extends Error {}

/** One request to create an order. */
export interface Creation {
  readonly body: CreateBody;
  readonly request: RequestContext;
  /** The error is thrown only if no stored answer is found for the key. */
  readonly draft: PaymentOrder | Error;
}
export type Answer = PaymentOrderView | IdempotentReplay<PaymentOrderView>;
type Answers = Map<Creation, Answer | Error>;

/** An order that is ready to be inserted, with the answer that its caller will get. */
interface ReadyOrder extends CausedTransition {
  readonly request: RequestContext;
  readonly view: PaymentOrderView;
}

/** What one transaction has read and locked for its creations. */
interface BatchContext {
  readonly contextOf: BookContextOf;
  readonly usage: DailyUsage;
  readonly counterpartyOf: CounterpartyOf;
}

/** Creates a batch of payment orders in one transaction. */
@Injectable()
export class CreateOrdersBatch {
  readonly #units: UnitOfWorkRunner;
  readonly #submission: Submission;
  readonly #contexts: BookContexts;
  readonly #config: OrdersConfig;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Submission) submission: Submission,
    @Inject(BookContexts) contexts: BookContexts,
    @Inject(CONFIG) config: OrdersConfig,
  ) {
    this.#units = units;
    this.#submission = submission;
    this.#contexts = contexts;
    this.#config = config;
  }

  /**
   * Returns one answer or error per creation, in order. One bad creation does not fail the others. The first deadline
   * ends the transaction, whatever that waits for: the late creation is refused, and the others are tried again. If it
   * waits for a lock, it gives up sooner, with `MustRunApart` for each creation: another book's would wait too.
   */
  async create(creations: readonly Creation[]): Promise<readonly (Answer | Error)[]> {
    const { first, repeats } = groupByKey(creations);
    const results = await bisect<Creation, Answer | Error>(
      first,
      (together) => this.#createTogether(together),
      (failed, error) => failed.map(() => (isFaultOfRows(error) ? new MustRunApart() : asError(error))),
    );
    const answers = new Map(first.map((creation, index) => [creation, results[index]] as const));
    return answerRepeats(creations, repeats, answers, (retried) => this.create(retried));
  }

  /** Creates one order, and waits for locks until its deadline. */
  async createApart(creation: Creation): Promise<Answer> {
    const { request } = creation;
    refuseIfLate(request);
    const [answer] = await onceMoreIfKeyTaken(() =>
      this.#units.runFor(request, (unit) => this.#createAll(unit, [creation])),
    );
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no answer");
    return answer;
  }

  #createTogether(creations: readonly Creation[]): Promise<(Answer | Error)[]> {
    const requests = creations.map(({ request }) => request);
    return onceMoreIfKeyTaken(() =>
      this.#units.run((unit) => this.#createAll(unit, creations, lockTimeoutMs), earliestDeadline(requests)),
    );
  }

  /** Stored answers come before every control. A key is stored in the order's transaction, and only for a success. */
  async #createAll(
    unit: UnitOfWork,
    creations: readonly Creation[],
    lockTimeout?: number,
  ): Promise<(Answer | Error)[]> {
    const answers: Answers = new Map();
    const books = creations.map(({ request }) => request.caller.book);
    const drafts = creations.flatMap(({ draft }) => (draft instanceof Error ? [] : [draft]));
    // The daily limit is locked first, so that no limit begins after the policy is read.
    const [, , contextOf, counterpartyOf] = await pipeline(
      unit.sql,
      (sql) => lockDailyLimitShared(sql, books, lockTimeout),
      (sql) => replayAnswers(sql, creations, answers),
      (sql) => this.#contexts.of(sql, books),
      (sql) => lookUpCounterparties(sql, drafts),
    );
    const usage = await this.#submission.lockUsage(unit.sql, draftsToSubmit(creations, answers), contextOf);
    const ready = this.#prepare(creations, { contextOf, usage, counterpartyOf }, answers);
    unit.withCommit(insertCreateAnswers(unit.sql, [...ready.values()], this.#config.STORE_PARTIAL_ANSWERS));
    insertTransitions(unit, [...ready.values()]);
    for (const [creation, { view }] of ready) answers.set(creation, view);
    return creations.map(
      (creation) => answers.get(creation) ?? new Error("a creation was left without an answer"),
    );
  }

  /** Runs the controls for the creations that have no stored answer. */
  #prepare(creations: readonly Creation[], batch: BatchContext, answers: Answers): Map<Creation, ReadyOrder> {
    const ready = new Map<Creation, ReadyOrder>();
    for (const creation of creations.filter((each) => !answers.has(each))) {
      const { request } = creation;
      try {
        const transition = this.#createOne(creation, batch);
        const view = viewOf(transition.order, transition.history);
        ready.set(creation, { request, transition, cause: request, view });
      } catch (error) {
        answers.set(creation, asError(error));
      }
    }
    return ready;
  }

  #createOne(
    { body, request, draft }: Creation,
    { contextOf, usage, counterpartyOf }: BatchContext,
  ): Transition {
    // The batch may have waited for the daily limit's lock.
    refuseIfLate(request);
    const context = contextOf(request.caller);
    checkBookOpen(context);
    if (draft instanceof Error) throw draft;
    const counterparty = counterpartyOf(draft);
    const { principal } = request.caller;
    const created = (order: PaymentOrder) => draftCreated(order, context);
    const submit = (order: PaymentOrder) =>
      this.#submission.submit(order, { counterparty, principal }, context, usage);
    return applyAll(
      withCounterpartyDetails(draft, counterparty),
      body.submit === false ? [created] : [created, submit],
    );
  }
}

/** If another transaction takes a key while this one runs, all is done once more: now the key has an answer. */
async function onceMoreIfKeyTaken<T>(create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (isKeyTaken(error)) return create();
    throw error;
  }
}

/** The Drafts that have no stored answer and are submitted at once. */
function draftsToSubmit(creations: readonly Creation[], answers: Answers): PaymentOrder[] {
  return creations.flatMap((creation) => {
    const { draft, body } = creation;
    return answers.has(creation) || draft instanceof Error || body.submit === false ? [] : [draft];
  });
}
