/**
 * The ledger's own writer on connections of its own, for what bypasses the streams. Started from dist/, because Node
 * can't run decorators.
 */
import { MikroORM, PostgreSqlDriver } from "@mikro-orm/postgresql";
import { Database } from "../../services/platform/persistence/database.ts";
import { setTypeParsers } from "../../services/platform/persistence/sql.ts";

/** `url` with the ledger's role, so that its rights and its schema are those of the service. */
export async function openLedgerDatabase(url: string, connections: number): Promise<Database> {
  const orm = await MikroORM.init({
    driver: PostgreSqlDriver,
    clientUrl: url,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    allowGlobalContext: true,
    pool: { min: connections, max: connections },
    driverOptions: {
      pipeline: true,
      onPoolCreated: (pool: { on(event: "connect", act: (client: never) => void): void }) =>
        pool.on("connect", setTypeParsers),
    },
  });
  return new Database(orm);
}
