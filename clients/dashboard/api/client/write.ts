import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useIdempotencyKey } from "./idempotency.ts";
import { freesKey } from "./problem.ts";
import { readAfterWrite } from "./read-after-write.ts";

type Headers = Readonly<Record<"Idempotency-Key", string>>;

/**
 * The write of a form. `form` names it and its object. Sent again after a failure, the same input is carried out once,
 * also after a reload of the page or a new sign-in. A refusal other than 401 and 403 ends that.
 */
export function useWrite<Input, Output>(
  form: string,
  send: (input: Input, headers: Headers) => Promise<Output>,
) {
  const client = useQueryClient();
  const idempotency = useIdempotencyKey(form);
  return useMutation({
    mutationFn: async (input: Input) => {
      const key = await idempotency.keyFor(input ?? null);
      try {
        const output = await send(input, { "Idempotency-Key": key });
        idempotency.renew();
        return output;
      } catch (error) {
        if (freesKey(error)) idempotency.forget(key);
        throw error;
      }
    },
    onSettled: () => readAfterWrite(client),
  });
}
