import type { Logger } from "pino";
import { idOf } from "../../../contracts/ids/ids.ts";
import { bisect } from "../../platform/bisect.ts";
import type { Database } from "../../platform/persistence/database.ts";
import { isInfrastructureFault } from "../../platform/persistence/infrastructure-fault.ts";
import { MicroBatch } from "../../platform/runtime/micro-batch.ts";
import type { ProcessClock } from "../process-clock.ts";
import type { ResolvedEndpoint } from "./domain/delivery.ts";
import type { EndpointResolver } from "./endpoint-resolver.ts";

interface Parts {
  readonly database: Database;
  readonly endpoints: EndpointResolver;
  readonly clock: ProcessClock;
  readonly log: Logger;
  readonly countFailure: () => void;
}

/** Disabled and deleted endpoints are in neither. */
interface ReadEndpoints {
  readonly enabled: ReadonlyMap<string, ResolvedEndpoint>;
  /** Those that can't be read, such as one whose secret can't be decrypted. */
  readonly broken: ReadonlySet<string>;
}

/** Endpoints as they are now, for deliveries that are about to be sent. Ids are stored `uuid`s. */
export class CurrentEndpoints {
  readonly #parts: Parts;
  readonly #reads: MicroBatch<string, ReadEndpoints>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#reads = new MicroBatch(
      async (ids) => {
        const read = await this.read(ids);
        return ids.map(() => read);
      },
      { maxItems: 1_000, maxInFlight: 2 },
    );
  }

  /** Reads one endpoint, in one statement with all others that are asked for at the same time. */
  async readOne(id: string): Promise<{ readonly enabled?: ResolvedEndpoint; readonly isBroken: boolean }> {
    const { enabled, broken } = await this.#reads.add(id);
    const endpoint = enabled.get(id);
    return { ...(endpoint === undefined ? {} : { enabled: endpoint }), isBroken: broken.has(id) };
  }

  async read(endpointIds: readonly string[]): Promise<ReadEndpoints> {
    const { database, endpoints, clock, log, countFailure } = this.#parts;
    const broken = new Set<string>();
    const enabled = await bisect(
      [...new Set(endpointIds)],
      async (ids) => [...(await endpoints.byId(database.sql, ids, clock))],
      (ids, error) => {
        if (isInfrastructureFault(error)) throw error;
        for (const id of ids) {
          broken.add(id);
          countFailure();
          log.error(
            { err: error, endpointId: idOf("we", id) },
            "an endpoint can't be read; its deliveries wait",
          );
        }
        return [];
      },
    );
    return { enabled: new Map(enabled), broken };
  }
}
