import { createSecretKey, type KeyObject } from "node:crypto";
import { Inject, Injectable } from "@nestjs/common";
import type { z } from "zod";
import type { RequestType } from "../../../contracts/message.ts";
import { type RpcCall, RpcClient } from "../../platform/rpc/client.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "../config.ts";
import type { HttpContext } from "../operation/http-context.ts";
import { idempotencyOf } from "./idempotency.ts";

/** Calls the service that owns a resource, for a route. */
@Injectable()
export class ServiceClient {
  readonly #rpc: RpcClient;
  readonly #fingerprintKey: KeyObject;

  constructor(@Inject(RpcClient) rpc: RpcClient, @Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    this.#rpc = rpc;
    this.#fingerprintKey = createSecretKey(config.FINGERPRINT_KEY, "base64");
  }

  /** Sends a read, or a request that can be repeated without a key. Refusals: those of the service. */
  async read<T extends RequestType>(
    type: T,
    http: HttpContext,
    data: z.input<T["data"]>,
    options: { deadlineMs?: number } = {},
  ): Promise<z.output<T["reply"]>> {
    const { value } = await this.#rpc.request(type, callFrom(http), data, options);
    return value;
  }

  /**
   * Sends a request that changes something, with the caller's Idempotency-Key if it sent one. A repeat gets the first
   * answer with `Idempotent-Replayed: true`. Refusals: those of the service.
   */
  async write<T extends RequestType>(
    type: T,
    http: HttpContext,
    data: z.input<T["data"]>,
  ): Promise<{ value: z.output<T["reply"]>; replayed: boolean }> {
    const idempotency = idempotencyOf(http.request, this.#fingerprintKey);
    const answer = await this.#rpc.request(type, { ...callFrom(http), idempotency }, data);
    if (answer.replayed) http.reply.header("idempotent-replayed", "true");
    return answer;
  }
}

function callFrom(http: HttpContext): RpcCall {
  const { traceparent } = http.request.headers;
  return { caller: http.caller, traceparent: typeof traceparent === "string" ? traceparent : undefined };
}
