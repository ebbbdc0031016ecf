import { useQuery } from "@tanstack/react-query";
import { getMe } from "../../../typescript/sdk.gen.ts";
import type { Scope } from "../../../typescript/types.gen.ts";
import { bodyOf } from "../client/call.ts";

export type { Me } from "../../../typescript/types.gen.ts";

/** Who is signed in, and what they may do in this book. */
export function useMe() {
  return useQuery({ queryKey: ["me"], queryFn: () => bodyOf(getMe()), staleTime: 60_000 });
}

/** True if the signed-in person has the scope in this book. */
export function useMay(scope: Scope): boolean {
  return useMe().data?.scopes.includes(scope) ?? false;
}
