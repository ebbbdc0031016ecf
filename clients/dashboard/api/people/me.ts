import { useQuery } from "@tanstack/react-query";
import { getMe } from "../../../typescript/sdk.gen.ts";
import type { Me, Scope } from "../../../typescript/types.gen.ts";
import { bodyOf } from "../client/call.ts";
import { forgetKeysOfOthers } from "../client/idempotency.ts";

export type { Me } from "../../../typescript/types.gen.ts";

/** Who is signed in, and what they may do in this book. */
export function useMe() {
  return useQuery({ queryKey: ["me"], queryFn: readMe, staleTime: 60_000 });
}

/** The tenant and the principal whose data the page shows. */
let owner: string | undefined;

/** Loads the page again if somebody else has signed in in another tab: it still shows the data of the person before. */
async function readMe(): Promise<Me> {
  const me = await bodyOf(getMe());
  const signedIn = `${me.tenant.id} ${me.principal}`;
  forgetKeysOfOthers(signedIn);
  owner ??= signedIn;
  if (owner === signedIn) return me;
  location.reload();
  return new Promise(() => undefined);
}

/** True if the signed-in person has the scope in this book. */
export function useMay(scope: Scope): boolean {
  return useMe().data?.scopes.includes(scope) ?? false;
}
