/** `make schema`: writes services/<service>/store/schema.sql from a freshly migrated database. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { services } from "../contracts/message.ts";
import { migrate } from "../services/platform/persistence/migrate.ts";
import { claimPort } from "./local/processes/ports.ts";
import { startPostgres } from "./local/postgres/postgres.ts";
import { createProcessGroup } from "./local/processes/processes.ts";
import { readCatalogue } from "./schema/catalogue.ts";
import { schemaFile } from "./schema/files.ts";
import { renderSchema } from "./schema/render.ts";

const folder = await mkdtemp(join(tmpdir(), "quittance-schema-"));
await chmod(folder, 0o711); // Postgres may run as another user, who has to pass through
const group = createProcessGroup(() => undefined);
const folders = [folder];
try {
  const home = join(folder, "postgres");
  const postgres = await startPostgres({ home, port: await claimPort(), group });
  folders.push(postgres.home);
  const admin = new pg.Client(postgres.adminUrl);
  await admin.connect();
  for (const service of services) {
    await migrate(postgres.adminUrl, service, "unused");
    await writeFile(schemaFile(service), renderSchema(service, await readCatalogue(admin, service)));
  }
  await admin.end();
} finally {
  await group.stopAll();
  for (const one of folders) await rm(one, { recursive: true, force: true });
}
