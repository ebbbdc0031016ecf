import { useState } from "react";
import type { Counterparty } from "../../../typescript/types.gen.ts";
import { differences } from "./differences.ts";

/** The counterparty as it was when the sheet or form was opened, which is what the person decides on. */
export function useShown(current: Counterparty) {
  const [shown, setShown] = useState(current);
  return { shown, changes: differences(shown, current), showCurrent: () => setShown(current) };
}
