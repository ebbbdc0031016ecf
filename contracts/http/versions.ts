import { z } from "zod";

/** The versions of the API, oldest first. v1 is current; v2 stands beside it where an operator serves it. */
export const apiVersions = ["v1", "v2"] as const;
export const apiVersion = z.enum(apiVersions);
export type ApiVersion = z.infer<typeof apiVersion>;
export const currentVersion: ApiVersion = "v1";
