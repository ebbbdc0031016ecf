import type { z } from "zod";
import { namedEnum } from "../named-enum.ts";

/** The versions of the API, oldest first. v1 is current. An operator may serve v2 beside it. */
export const apiVersion = namedEnum("ApiVersion", "A version of the API.", {
  v1: "The current version.",
  v2: "A preview of the next version, where it is served.",
});
export const apiVersions = apiVersion.options;
export type ApiVersion = z.infer<typeof apiVersion>;
export const currentVersion: ApiVersion = "v1";
