import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { bookIdOf } from "../../../contracts/ids/ids.ts";
import { SettingsChanged } from "../../../contracts/messages/tenants.ts";
import { asError } from "../../platform/as-error.ts";
import type { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { objectOf } from "../operation/object-of.ts";

/**
 * Many changes behind these scopes have no event of their own. `webhooks:write` also covers retries, replays and test
 * sinks, which open screens then read again.
 */
const scopes: ReadonlySet<string> = new Set(["policy:write", "keys:write", "people:write", "webhooks:write"]);

/**
 * A hook after each answer: the open streams of every gateway learn that a setting has changed. People are shown in
 * both books. A message that can't be written is only logged: open screens then show the change late.
 */
export function publishSettingsChanged(units: UnitOfWorkRunner, log: Logger) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { caller, routeOptions } = request;
    const { access = "public", writes } = routeOptions.config;
    if (caller === null || writes !== true || !scopes.has(access) || reply.statusCode >= 300) return;
    const { tenant, book } = caller;
    const books = access === "people:write" ? [bookIdOf(tenant, "Test"), bookIdOf(tenant, "Live")] : [book];
    const object = objectOf(request, reply);
    try {
      await units.run(({ outbox }) => {
        for (const shown of books) {
          outbox.add(SettingsChanged, { book: shown, subject: object ?? shown, data: {} });
        }
        return Promise.resolve();
      });
    } catch (error) {
      log.warn({ err: asError(error) }, "a changed setting was not published to open screens");
    }
  };
}
