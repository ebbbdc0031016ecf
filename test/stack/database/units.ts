/** Units of work on a test's database without NATS: messages stay in the outbox, where the test reads them. */
import { type EntitySchema, MikroORM, PostgreSqlDriver } from "@mikro-orm/postgresql";
import type { AnyMessage, Service } from "../../../contracts/message.ts";
import type { Relay } from "../../../services/platform/outbox/relay.ts";
import { UnitOfWorkRunner } from "../../../services/platform/handlers/unit-of-work.ts";
import { Database } from "../../../services/platform/persistence/database.ts";
import {
  type SessionLimits,
  sessionLimits,
  sessionOptions,
} from "../../../services/platform/persistence/session-limits.ts";
import { setTypeParsers } from "../../../services/platform/persistence/sql.ts";
import { patienceMs } from "../until.ts";
import { createDatabase } from "../servers/database.ts";

export interface TestUnits {
  readonly database: Database;
  readonly units: UnitOfWorkRunner;
  /** The messages that were committed since the last call, oldest first. */
  takeMessages(): Promise<AnyMessage[]>;
  close(): Promise<void>;
}

/** A test may load 300,000 rows with one statement: on a slow machine that takes longer than a service's may. */
const limitsOfTests: SessionLimits = { ...sessionLimits, statement: patienceMs, transaction: 2 * patienceMs };

const silentRelay = { publishCommitted: () => undefined } as unknown as Relay;

/** `url` is the service's own (`TestDatabase.urlOf`), so that its rights are tested too. */
export async function openUnits(
  url: string,
  limits: SessionLimits = limitsOfTests,
  entities: readonly EntitySchema[] = [],
): Promise<TestUnits> {
  const orm = await MikroORM.init({
    driver: PostgreSqlDriver,
    clientUrl: url,
    entities: [...entities],
    discovery: { warnWhenNoEntities: false },
    allowGlobalContext: true,
    driverOptions: {
      ...sessionOptions(limits),
      pipeline: true,
      onPoolCreated: (pool: { on(event: "connect", act: (client: never) => void): void }) =>
        pool.on("connect", setTypeParsers),
    },
  });
  const database = new Database(orm);
  return {
    database,
    units: new UnitOfWorkRunner(database, silentRelay, 1, 5),
    async takeMessages() {
      const rows = await database.sql<{ message: AnyMessage }>(
        `with taken as (
           update outbox set published_at = now() where published_at is null returning message
         )
         select f.message from taken, jsonb_array_elements(('[' || taken.message || ']')::jsonb) f (message)
         order by f.message ->> 'id'`,
      );
      return rows.map(({ message }) => message);
    },
    close: () => orm.close(true),
  };
}

/** Units on a database of their own: `close` drops it too. */
export interface FreshUnits extends TestUnits {
  /** Connected as the service's role. */
  readonly url: string;
  /** Connected as superuser. */
  readonly adminUrl: string;
}

/** A new, empty database of a service, and units on it. */
export async function openFreshUnits(
  service: Service,
  entities: readonly EntitySchema[] = [],
): Promise<FreshUnits> {
  const database = await createDatabase(service);
  const url = database.urlOf(service);
  const units = await openUnits(url, sessionLimits, entities);
  return {
    ...units,
    url,
    adminUrl: database.adminUrl,
    async close() {
      await units.close();
      await database.drop();
    },
  };
}
