import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { getLedgerProof } from "../../../typescript/sdk.gen.ts";
import type { LedgerProof } from "../../../typescript/types.gen.ts";
import { useNow } from "../../parts/values/now.ts";
import { bodyOf } from "../client/call.ts";
import { useMay } from "../people/me.ts";

/** The auditor takes seconds to reach the newest journal of a busy book. */
const lateAfterMs = 60_000;

export function useProof() {
  const may = useMay("ledger:read");
  return useQuery({
    queryKey: ["proof"],
    queryFn: () => bodyOf(getLedgerProof()),
    enabled: may,
    refetchInterval: 15_000,
  });
}

/** True once the audit has not come further for a minute, though journals wait for it. */
export function useIsAuditLate({ status, audit }: LedgerProof): boolean {
  const now = useNow();
  const [last, setLast] = useState({ sequence: audit.auditedSequence, at: now });
  const isBehind = status === "Pending";
  if (last.sequence !== audit.auditedSequence || (!isBehind && last.at !== now))
    setLast({ sequence: audit.auditedSequence, at: now });
  return isBehind && now - last.at >= lateAfterMs;
}
