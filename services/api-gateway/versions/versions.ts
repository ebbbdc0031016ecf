import type { Type } from "@nestjs/common";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import { mountVersion, type VersionChanges } from "./mount-version.ts";
import { v2 } from "./v2.ts";

/** What each later version changes in version 1; everything else is the same in both. */
const changes: Readonly<Record<Exclude<ApiVersion, "v1">, VersionChanges>> = { v2 };

/**
 * The controllers of a version: those of version 1, with that version's changes. All versions call the same services,
 * so what is created with one can be read with the others.
 */
export function controllersOf(version: ApiVersion, v1Controllers: readonly Type[]): Type[] {
  if (version === "v1") return [...v1Controllers];
  return v1Controllers.map((controller) => mountVersion(controller, version, changes[version]));
}

/** Converts an example of version 1 into this version's form, for its OpenAPI document. */
export function inVersion(version: ApiVersion): (value: unknown) => unknown {
  return version === "v1" ? (value) => value : changes[version].example;
}
