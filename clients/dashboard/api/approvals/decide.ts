import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type CurrentState, readCurrentState } from "./current-state.ts";
import { bodyOfDecision, type Decidable, operationOf, sendDecision, type Verdict } from "./decidable.ts";
import { idempotencyKeyOf } from "../client/idempotency.ts";
import { type ApiProblem, freesKey, problemOf } from "../client/problem.ts";
import { confirmWithPasskey } from "../client/step-up.ts";

/** What became of one: decided, or refused with this problem. After a conflict, also what it has become. */
export interface Result {
  readonly id: string;
  /** How many approvals an approved order still lacks. */
  readonly missing?: number;
  readonly problem?: ApiProblem;
  readonly currentState?: CurrentState | undefined;
}

type State =
  | { readonly name: "open" }
  | { readonly name: "asking" }
  /** `results` are those of an earlier try. */
  | { readonly name: "refused"; readonly problem: ApiProblem; readonly results: readonly Result[] }
  | { readonly name: "decided"; readonly results: readonly Result[] };

/**
 * Decides one by one, all of one kind, under one confirmation by the person's passkey. What was shown is what is
 * decided: the confirmation and each request carry the hash of the order that was on the screen. Called again after
 * results that can be retried, it sends only those, with the same Idempotency-Keys, also after a reload of the page.
 */
export function useDecision(verdict: Verdict, items: readonly Decidable[]) {
  const [state, setState] = useState<State>({ name: "open" });
  const client = useQueryClient();

  const send = async (item: Decidable, stepUp: object, reason: string): Promise<Result> => {
    const { id, kind, orderHash } = item;
    // Each item has a key of its own, so a decision that is sent twice is carried out once.
    const idempotency = idempotencyKeyOf(`${operationOf(kind, verdict)}:${id}`);
    const key = await idempotency.keyFor({ orderHash, reason });
    try {
      const missing = await sendDecision(item, verdict, reason, { ...stepUp, "Idempotency-Key": key });
      idempotency.renew();
      return { id, missing };
    } catch (error) {
      const problem = problemOf(error);
      if (freesKey(error)) idempotency.forget(key);
      const currentState = problem.status === 409 ? await readCurrentState(item) : undefined;
      return { id, problem, currentState };
    }
  };

  const decide = async (reason: string) => {
    const before = state.name === "decided" || state.name === "refused" ? state.results : [];
    const kept = before.filter(({ problem }) => problem?.retryable !== true);
    const left = items.filter(({ id }) => kept.every((result) => result.id !== id));
    setState({ name: "asking" });
    try {
      const [first] = left;
      const kind = first?.kind ?? "order";
      // Only orders are decided several at a time.
      const body = first && bodyOfDecision(first);
      const orderHashes = verdict === "approve" ? left.flatMap(({ orderHash }) => orderHash ?? []) : [];
      const stepUp = await confirmWithPasskey({
        operation: operationOf(kind, verdict),
        ids: left.map(({ id }) => id),
        orderHashes,
        ...(body === undefined ? {} : { body }),
      });
      const results: Result[] = [...kept];
      for (const item of left) results.push(await send(item, stepUp, reason));
      setState({ name: "decided", results });
    } catch (error) {
      setState({ name: "refused", problem: problemOf(error), results: before });
    }
    await client.invalidateQueries();
  };
  return { state, decide, reopen: () => setState({ name: "open" }) };
}
