import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { endSession, listSessions } from "../../../typescript/sdk.gen.ts";
import { bodyOf, callAuth } from "../client/call.ts";
import { idempotencyKeyOf } from "../client/idempotency.ts";
import { replacingSession } from "../client/session-lock.ts";

const maxSessions = 100;

/** The signed-in person's own sessions that have not ended. */
export function useSessions() {
  return useQuery({
    queryKey: ["sessions"],
    queryFn: async () => (await bodyOf(listSessions({ query: { limit: maxSessions } }))).data,
  });
}

/** Ends own sessions, one after the other. */
export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const id of ids) {
        const idempotency = idempotencyKeyOf(`endSession:${id}`);
        await bodyOf(endSession({ path: { id }, headers: { "Idempotency-Key": idempotency.key() } }));
        idempotency.renew();
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["sessions"] }),
  });
}

export interface NewPassword {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/** Sets the own password. Every other session ends; this one goes on. */
export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewPassword) => replacingSession(() => callAuth("POST", "/password", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["me"] }),
  });
}
