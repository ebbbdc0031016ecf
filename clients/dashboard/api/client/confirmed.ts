import { useMutation, useQueryClient } from "@tanstack/react-query";
import { idempotencyKeyOf } from "./idempotency.ts";
import { readAfterWrite } from "./read-after-write.ts";
import { type Confirmed, confirmWithPasskey } from "./step-up.ts";

/** What a confirmed write sends with its request. */
export type ConfirmedHeaders = Readonly<Record<"Step-Up" | "Idempotency-Key", string>>;

interface Write<Input, Output> {
  /** The operation id, the objects that it decides on, and the body that `send` sends. */
  readonly about: (input: Input) => Confirmed;
  readonly send: (input: Input, headers: ConfirmedHeaders) => Promise<Output>;
  readonly done?: (output: Output, input: Input) => void;
}

/** A write that the person confirms with their passkey. Sent again after a failure, an input is carried out once. */
export function useConfirmed<Input, Output>({ about, send, done }: Write<Input, Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (input: Input) => {
      const what = about(input);
      const idempotency = idempotencyKeyOf([what.operation, ...(what.ids ?? [])].join(":"));
      const key = await idempotency.keyFor(input);
      const confirmed = await confirmWithPasskey(what);
      const output = await send(input, { ...confirmed, "Idempotency-Key": key });
      idempotency.renew();
      return output;
    },
    onSuccess: (output, input) => done?.(output, input),
    onSettled: () => readAfterWrite(client),
  });
}
