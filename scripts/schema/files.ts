import { join } from "node:path";
import type { Service } from "../../contracts/message.ts";
import { serviceFolders } from "../../services/platform/persistence/migrate.ts";

const root = join(import.meta.dirname, "../..");

export const schemaFile = (service: Service): string =>
  join(root, "services", serviceFolders[service], "store/schema.sql");
