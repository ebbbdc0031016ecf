import { createHash } from "node:crypto";
import { Controller } from "@nestjs/common";
import type { SimulationDigest } from "../../../contracts/http/sandbox/digest.ts";
import { DigestEntries, DigestOrders, GetSimulationDigest } from "../../../contracts/messages/digests.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { requireTestBook } from "../instructions/require-test-book.ts";

/** Answers what has happened in a Test book as one digest: the same seed and the same requests give the same one. */
@Controller()
export class GetDigest {
  readonly #rpc: RpcClient;

  constructor(rpc: RpcClient) {
    this.#rpc = rpc;
  }

  /** Refusals: `simulation_requires_test_key`. */
  @HandlesRequest(GetSimulationDigest)
  async digest(_: object, context: RequestContext): Promise<SimulationDigest> {
    requireTestBook(context);
    const [orders, entries] = await Promise.all([
      this.#rpc.request(DigestOrders, context, {}),
      this.#rpc.request(DigestEntries, context, {}),
    ]);
    const digest = createHash("sha256").update(orders.value.digest + entries.value.digest);
    return {
      digest: digest.digest("hex"),
      orders: orders.value.digest,
      entries: entries.value.digest,
      orderCount: orders.value.count,
      entryCount: entries.value.count,
    };
  }
}
