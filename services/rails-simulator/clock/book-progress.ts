import type { Caller, RequestType, Service } from "../../../contracts/message.ts";
import {
  maxReportedMessages,
  type Progress,
  ReportLedgerProgress,
  ReportOrdersProgress,
  ReportWebhooksProgress,
} from "../../../contracts/messages/clocks.ts";
import { reportProgress } from "../../platform/clock/report-progress.ts";
import type { UnconfirmedMessage } from "../../platform/outbox/unconfirmed-messages.ts";
import { limitToOneBook } from "../../platform/persistence/session-limits.ts";
import type { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { RpcClient } from "../../platform/rpc/client.ts";
import { nextDueOfBook } from "./next-due.ts";

interface Question {
  readonly sentToYou: string[];
  readonly handled: { readonly id: string; readonly consumer: Service }[];
}

const others = [ReportOrdersProgress, ReportLedgerProgress, ReportWebhooksProgress] as const;
type ProgressRequest = (typeof others)[number] & RequestType;

/** What one round of questions has found. */
export interface Round {
  /** The services and messages that have not finished yet; empty if the book is quiet. */
  readonly waitingFor: readonly string[];
  /** The earliest time at which something is due in the book. */
  readonly nextDueAt: Date | null;
}

const deadlineMs = 5_000;

/** Whether a book is quiet with this round: it and the one before found nothing under way, and the same next time. */
export function quietAfterTwo(): (round: Round) => boolean {
  let before: Round | undefined;
  return (round) => {
    const isNothingUnderWay = round.waitingFor.length === 0;
    const isSecond = before !== undefined && before.nextDueAt?.getTime() === round.nextDueAt?.getTime();
    before = isNothingUnderWay ? round : undefined;
    return isNothingUnderWay && isSecond;
  };
}

/**
 * Asks the services, round by round, what they still have to do for one book: which messages their consumers have not
 * handled, and what is due next. Each round confirms to the senders what the last one has found to be handled.
 */
export class BookProgress {
  readonly #parts: { readonly rpc: RpcClient; readonly units: UnitOfWorkRunner };
  readonly #caller: Caller;
  readonly #deadline: number | undefined;
  /** By sender, as of the last round. */
  #unconfirmed = new Map<string, readonly UnconfirmedMessage[]>();
  /** Of those, the ones that their consumer has handled, as `consumer/id`. */
  #handled: ReadonlySet<string> = new Set();

  /** No answer is waited for after `deadline` (Unix time in milliseconds). */
  constructor(
    parts: { readonly rpc: RpcClient; readonly units: UnitOfWorkRunner },
    caller: Caller,
    deadline?: number,
  ) {
    this.#parts = parts;
    this.#caller = caller;
    this.#deadline = deadline;
  }

  /** Sends every service one question. `now` is the time in the book: what is due by then is still to be done. */
  async poll(now: Date): Promise<Round> {
    const answering = [
      this.#answerOf("rails", (question) => this.#reportOwn(question)),
      ...others.map((request) =>
        this.#answerOf(request.owner, (question) => this.#request(request, question)),
      ),
    ];
    const answers = await Promise.all(answering);
    // A consumer's answer lists what its handling has led to, so a message that it has handled is not waited for.
    const handled = new Set(
      answers.flatMap(({ service, progress }) => (progress?.handled ?? []).map((id) => `${service}/${id}`)),
    );
    const waitingFor: string[] = [];
    const dueTimes: number[] = [];
    const unconfirmed = new Map<string, readonly UnconfirmedMessage[]>();
    for (const { service, progress } of answers) {
      if (progress === undefined) {
        waitingFor.push(`${service}, which does not answer`);
        unconfirmed.set(service, this.#unconfirmed.get(service) ?? []);
        continue;
      }
      unconfirmed.set(service, progress.unconfirmed);
      for (const { id, type, consumer } of progress.unconfirmed)
        if (!handled.has(`${consumer}/${id}`)) waitingFor.push(`${consumer}: ${type} ${id}`);
      if (progress.underWay !== undefined) waitingFor.push(`${service}: ${progress.underWay}`);
      if (progress.nextDueAt === null) continue;
      const dueAt = new Date(progress.nextDueAt);
      dueTimes.push(dueAt.getTime());
      if (dueAt <= now) waitingFor.push(`${service}, which has something due at ${progress.nextDueAt}`);
    }
    this.#unconfirmed = unconfirmed;
    this.#handled = handled;
    return { waitingFor, nextDueAt: dueTimes.length === 0 ? null : new Date(Math.min(...dueTimes)) };
  }

  async #answerOf(
    service: string,
    report: (question: Question) => Promise<Progress>,
  ): Promise<{ service: string; progress: Progress | undefined }> {
    const sentTo = [...this.#unconfirmed.values()].flat().filter(({ consumer }) => consumer === service);
    const own = this.#unconfirmed.get(service) ?? [];
    const question: Question = {
      sentToYou: [...new Set(sentTo.map(({ id }) => id))].slice(0, maxReportedMessages),
      handled: own
        .filter(({ id, consumer }) => this.#handled.has(`${consumer}/${id}`))
        .map(({ id, consumer }) => ({ id, consumer })),
    };
    const progress = await report(question).catch(() => undefined);
    return { service, progress };
  }

  async #request(request: ProgressRequest, question: Question): Promise<Progress> {
    const from = { caller: this.#caller, deadline: this.#deadline };
    const { value } = await this.#parts.rpc.request(request, from, question, { deadlineMs });
    return value;
  }

  #reportOwn(question: Question): Promise<Progress> {
    const { book } = this.#caller;
    return this.#parts.units.run(async ({ sql }) => {
      await limitToOneBook(sql);
      return reportProgress(sql, book, question, { nextDueOf: nextDueOfBook });
    });
  }
}
