import { useQuery } from "@tanstack/react-query";
import { getInbox } from "../../../typescript/sdk.gen.ts";
import type { Inbox } from "../../../typescript/types.gen.ts";
import { bodyOf } from "../client/call.ts";

export type Mine = Inbox["policyProposals"]["data"][number]["mine"];

/** What waits for a decision, and whether this person may decide it. */
export function useProposals() {
  return useQuery({
    queryKey: ["inbox", "proposals"],
    queryFn: () => bodyOf(getInbox()),
  });
}
