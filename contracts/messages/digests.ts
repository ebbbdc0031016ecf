import { z } from "zod";
import { simulationDigest } from "../http/sandbox/digest.ts";
import { sha256 } from "../http/shapes.ts";
import { request } from "../message.ts";

const partDigest = z.object({ digest: sha256, count: z.int() });
/** The SHA-256 of the outcomes of a book's payment orders. */
export const DigestOrders = request("orders", "digest-orders", z.object({}), partDigest);
/** The SHA-256 of a book's entries. */
export const DigestEntries = request("ledger", "digest-entries", z.object({}), partDigest);
/** Both together, of a Test book. */
export const GetSimulationDigest = request("rails", "get-simulation-digest", z.object({}), simulationDigest);
