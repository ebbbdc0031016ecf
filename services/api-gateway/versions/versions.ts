import type { Type } from "@nestjs/common";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import { mountVersion, type VersionChanges } from "./mount-version.ts";
import { v2 } from "./v2.ts";

/** What each version after the first changes of version 1; what it doesn't name is the same in both. */
const changes: Readonly<Record<Exclude<ApiVersion, "v1">, VersionChanges>> = { v2 };

/**
 * The routes of a version: those of version 1, whose controllers say `v1/…`, with that version's changes on top. All
 * versions ask the same owners, so what one creates the others read.
 */
export function controllersOf(version: ApiVersion, ofV1: readonly Type[]): Type[] {
  if (version === "v1") return [...ofV1];
  return ofV1.map((controller) => mountVersion(controller, version, changes[version]));
}

/** A value that version 1 shows, as that version shows it: for the examples of its document. */
export function inVersion(version: ApiVersion): (value: unknown) => unknown {
  return version === "v1" ? (value) => value : changes[version].example;
}
