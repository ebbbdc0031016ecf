import { z } from "zod";

/** The body of an action that needs none: absent or `{}`. What it doesn't know is refused, as everywhere. */
export const noBody = z.strictObject({}).meta({ id: "NoBody", description: "An empty object." });
