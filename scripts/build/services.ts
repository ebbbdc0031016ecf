/**
 * Bundles into dist/ what runs from there. A service starts from about a dozen files instead of 1,850, in 60 % of the
 * time (docs/adr/0040-bundles.md). With the argument `image` it bundles the services alone.
 */
import { argv } from "node:process";
import { programs, services, writeBundles } from "./bundle.ts";

await writeBundles(argv[2] === "image" ? services : [...services, ...programs]);
