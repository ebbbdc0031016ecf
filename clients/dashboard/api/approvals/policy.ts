import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  getApprovalPolicy,
  listPolicyProposals,
  previewApprovalPolicy,
  putApprovalPolicy,
} from "../../../typescript/sdk.gen.ts";
import type { ApprovalPolicy } from "../../../typescript/types.gen.ts";
import { usePaused } from "../../parts/form/paused.ts";
import { bodyOf } from "../client/call.ts";
import { useConfirmed } from "../client/confirmed.ts";

const policyKey = ["approval-policy"];

export function usePolicy() {
  return useQuery({ queryKey: policyKey, queryFn: () => bodyOf(getApprovalPolicy()) });
}

/**
 * What the policy would change, asked once typing pauses; nothing while `policy` is undefined. Until its answer has
 * come, `data` may be the preview of an earlier text: then `isOld` is true.
 */
export function usePolicyPreview(policy: ApprovalPolicy | undefined) {
  const now = policy === undefined ? undefined : JSON.stringify(policy);
  const written = usePaused(now);
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: ["approval-policy-preview", written],
    queryFn: () => bodyOf(previewApprovalPolicy({ body: JSON.parse(written ?? "{}") as ApprovalPolicy })),
    enabled: written !== undefined,
    placeholderData: keepPreviousData,
  });
  return { data, error, isFetching, isOld: now !== written || isPlaceholderData };
}

/** The latest proposals that somebody has decided. */
export function useDecidedPolicies() {
  const query = { status: ["Approved", "Denied", "Superseded"] as const, limit: 10 };
  return useQuery({
    queryKey: ["policy-proposals"],
    queryFn: () => bodyOf(listPolicyProposals({ query: { ...query, status: [...query.status] } })),
  });
}

/** Puts the policy into force, or proposes it if it is looser. The answer tells which. */
export function usePutPolicy(done: (isProposed: boolean) => void) {
  const client = useQueryClient();
  return useConfirmed({
    about: (body: ApprovalPolicy) => ({ operation: "putApprovalPolicy", body }),
    send: (body, headers) => bodyOf(putApprovalPolicy({ body, headers })),
    done: (answer) => {
      const isProposed = "proposalId" in answer;
      if (!isProposed) client.setQueryData(policyKey, answer);
      done(isProposed);
    },
  });
}
