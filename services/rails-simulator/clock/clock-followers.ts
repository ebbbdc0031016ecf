import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import type { BookClock } from "../../../contracts/book-clock.ts";
import type { Caller, Service } from "../../../contracts/message.ts";
import {
  ApplyClockToLedger,
  ApplyClockToOrders,
  ApplyClockToWebhooks,
} from "../../../contracts/messages/clocks.ts";
import { LOG } from "../../platform/platform.module.ts";
import { RpcClient } from "../../platform/rpc/client.ts";

const requests = [ApplyClockToOrders, ApplyClockToLedger, ApplyClockToWebhooks];
const deadlineMs = 3_000;

/** The services that store copies of the books' clocks. */
@Injectable()
export class ClockFollowers {
  readonly #rpc: RpcClient;
  readonly #log: Logger;

  constructor(rpc: RpcClient, @Inject(LOG) log: Logger) {
    this.#rpc = rpc;
    this.#log = log;
  }

  /** Has all of them store a clock. Returns those that did not answer: they get its event later. */
  async apply(
    caller: Caller,
    { mode, leadMs, standsAt, sequence }: BookClock & { readonly sequence: number },
  ): Promise<Service[]> {
    const clock = { mode, leadMs, standsAt: standsAt?.toISOString() ?? null, sequence };
    const results = await Promise.allSettled(
      requests.map((request) => this.#rpc.request(request, { caller }, clock, { deadlineMs })),
    );
    return results.flatMap((result, index) => {
      const service = requests[index]?.owner;
      if (result.status === "fulfilled" || service === undefined) return [];
      this.#log.warn(
        { err: result.reason, service, book: caller.book },
        "a service has not stored the clock",
      );
      return [service];
    });
  }
}
