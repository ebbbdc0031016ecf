import { createSecretKey, type KeyObject } from "node:crypto";
import { Inject, Injectable } from "@nestjs/common";
import { refuseIfLate } from "../../platform/handlers/deadline.ts";
import { IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { findReplay, withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "../config.ts";
import type { HttpContext } from "../operation/http-context.ts";
import { idempotencyOf } from "./idempotency.ts";

/** As long as for what other services write (`RpcClient`): callers hang up soon after that. */
const deadlineMs = 5_000;

/** Writes to the gateway's own tables: its keys. */
@Injectable()
export class GatewayWrites {
  readonly #units: UnitOfWorkRunner;
  readonly #fingerprintKey: KeyObject;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
  ) {
    this.#units = units;
    this.#fingerprintKey = createSecretKey(config.FINGERPRINT_KEY, "base64");
  }

  /**
   * Runs `work` in one transaction, once per Idempotency-Key. Its result is stored for repeats, so it must not contain
   * a secret. A repeat gets `Idempotent-Replayed: true`. Refusals: `upstream_timeout` if its turn or a lock takes too
   * long; then nothing is written.
   */
  once<T extends { readonly id: string }>(
    http: HttpContext,
    name: string,
    work: (unit: UnitOfWork) => Promise<T>,
  ): Promise<T> {
    return this.onceAfter(http, name, [], work);
  }

  /**
   * The same for work that may be too much for one transaction. First each step runs in transactions of its own until
   * it returns false. What the steps have done remains if the time is over; a repeat does the rest. So a step must be
   * idempotent.
   */
  async onceAfter<T extends { readonly id: string }>(
    http: HttpContext,
    name: string,
    steps: readonly ((unit: UnitOfWork) => Promise<boolean>)[],
    work: (unit: UnitOfWork) => Promise<T>,
  ): Promise<T> {
    const request = this.#requestOf(http);
    const runStep = (step: (unit: UnitOfWork) => Promise<boolean>) =>
      this.#units.runFor(request, async (unit) => {
        refuseIfLate(request);
        return (await findReplay(unit.sql, request, { name })) === undefined && step(unit);
      });
    for (const step of steps) {
      let goesOn = true;
      while (goesOn) goesOn = await runStep(step);
    }
    const answer = await this.#units.runFor(request, (unit) =>
      withIdempotency<T>(unit, request, { name, resourceId: ({ id }) => id }, () => work(unit)),
    );
    if (!(answer instanceof IdempotentReplay)) return answer;
    http.reply.header("idempotent-replayed", "true");
    return answer.value;
  }

  #requestOf({ caller, request }: HttpContext) {
    return {
      caller,
      correlationid: caller.requestId,
      deadline: Date.now() + deadlineMs,
      idempotency: idempotencyOf(request, this.#fingerprintKey),
    };
  }
}
