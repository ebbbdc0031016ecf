/**
 * Bundles into dist/ what runs from there: each service starts from a few files instead of 1,800, in half of the time
 * (docs/adr/0040-bundles.md). `node scripts/build/services.ts image` bundles the services alone.
 */
import { argv } from "node:process";
import { programs, services, writePrograms } from "./bundle.ts";

await writePrograms(argv[2] === "image" ? services : [...services, ...programs]);
