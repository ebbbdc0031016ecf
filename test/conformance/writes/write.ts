import type { Scenario } from "../refusals/scenario.ts";

export interface Write {
  readonly path: string;
  readonly body?: unknown;
  /** The key that sends it. Default: the maker's. */
  readonly as?: "maker" | "admin" | "approver1";
  /** A different request: another body or, for an action, another resource. */
  readonly other: { readonly path?: string; readonly body?: unknown };
  /** A request that the service refuses; for an action, on a resource that does not exist. */
  readonly refused: { readonly path?: string; readonly body?: unknown };
}

export type Make = (scenario: Scenario) => Write | Promise<Write>;
