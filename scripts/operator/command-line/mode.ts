import type { Mode } from "../../../contracts/ids/ids.ts";
import { mode } from "../../../contracts/rails/rails.ts";
import { type Given, Misuse } from "./given.ts";

/** The mode that the required option `--mode` names. */
export function modeOf(given: Given): Mode {
  const wanted = mode.safeParse(given.required("mode"));
  if (!wanted.success) throw new Misuse("--mode must be Test or Live");
  return wanted.data;
}
