/** Writes the typed TypeScript client from the committed OpenAPI document: clients/typescript, which git ignores. */
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";

const root = join(import.meta.dirname, "../..");

await createClient({
  input: join(root, "contracts/openapi/v1.json"),
  output: { path: join(root, "clients/typescript"), module: { extension: ".ts" } },
  logs: { level: "silent", file: false },
  plugins: ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"],
});
