import { z } from "zod";

/** The body of an action without one: absent or `{}`. Unknown fields are refused, as everywhere. */
export const noBody = z.strictObject({}).meta({ id: "NoBody", description: "An empty object." });
