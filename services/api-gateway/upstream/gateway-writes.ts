import { createSecretKey, type KeyObject } from "node:crypto";
import { Inject, Injectable } from "@nestjs/common";
import { IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
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
   * a secret. A repeat gets `Idempotent-Replayed: true`. Refusal: `upstream_timeout` if its turn or a lock takes too
   * long; then nothing is written.
   */
  async once<T extends { readonly id: string }>(
    http: HttpContext,
    name: string,
    work: (unit: UnitOfWork) => Promise<T>,
  ): Promise<T> {
    const { caller } = http;
    const request = {
      caller,
      correlationid: caller.requestId,
      deadline: Date.now() + deadlineMs,
      idempotency: idempotencyOf(http.request, this.#fingerprintKey),
    };
    const answer = await this.#units.runFor(request, (unit) =>
      withIdempotency<T>(unit, request, { name, resourceId: ({ id }) => id }, () => work(unit)),
    );
    if (!(answer instanceof IdempotentReplay)) return answer;
    http.reply.header("idempotent-replayed", "true");
    return answer.value;
  }
}
