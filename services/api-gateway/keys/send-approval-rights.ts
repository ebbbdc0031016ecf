import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { ApplyApprovalRights } from "../../../contracts/messages/orders.ts";
import type { numberedApprovalRight } from "../../../contracts/messages/tenants.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import type { HttpContext } from "../operation/http-context.ts";
import { ServiceClient } from "../upstream/service-client.ts";
import type { TenantMode } from "./store/api-keys.ts";
import { readApprovalRights } from "./store/approval-rights.ts";

/** Of each request. Long enough for an orders service that works, and shorter than a caller waits. */
const deadlineMs = 3_000;
/** A leaked key may have made keys for thousands of principals. This many rights fit into one NATS message. */
const maxRights = 1_000;

/**
 * Sends rights to approve to orders before the caller gets its answer, so that what orders decides after the answer
 * goes by them. The event that was committed with a change brings it too, some milliseconds later.
 */
@Injectable()
export class SendApprovalRights {
  readonly #services: ServiceClient;
  readonly #database: Database;
  readonly #log: Logger;

  constructor(
    @Inject(ServiceClient) services: ServiceClient,
    @Inject(Database) database: Database,
    @Inject(LOG) log: Logger,
  ) {
    this.#services = services;
    this.#database = database;
    this.#log = log;
  }

  /** The principal's right as it is now; undefined if it never had an end. */
  async rightOf({
    tenant,
    mode,
    principal,
  }: TenantMode & { readonly principal: string }): Promise<
    z.input<typeof numberedApprovalRight> | undefined
  > {
    const [right] = await readApprovalRights(this.#database.sql, { tenant, mode }, [principal]);
    return right;
  }

  /** Returns whether orders has the rights of these principals. A right that never had an end is not sent. */
  async send(http: HttpContext, principals: readonly string[]): Promise<boolean> {
    const rights = await readApprovalRights(this.#database.sql, http.known, principals);
    try {
      for (let sent = 0; sent < rights.length; sent += maxRights) {
        const some = rights.slice(sent, sent + maxRights);
        await this.#services.read(ApplyApprovalRights, http, { rights: some }, { deadlineMs });
      }
      return true;
    } catch (error) {
      this.#log.warn(
        { err: error, requestId: http.caller.requestId },
        "orders did not answer: it gets the rights to approve by their events",
      );
      return false;
    }
  }

  /** Refusals: `service_unavailable` if orders has not confirmed them. A repeated request sends them again. */
  async sendOrRefuse(http: HttpContext, principals: readonly string[], done: string): Promise<void> {
    if (await this.send(http, principals)) return;
    throw new Refusal(
      "service_unavailable",
      `${done} Payment orders may not follow it yet. Send the request again: once it succeeds, they do.`,
    );
  }
}
