import { useQuery } from "@tanstack/react-query";
import { ShieldAlert, ShieldCheck } from "lucide-react";
import { getLedgerProof } from "../../typescript/sdk.gen.ts";
import { bodyOf } from "../api/call.ts";
import { useMay } from "../api/me.ts";
import { texts } from "../texts/texts.ts";

const tones = { Proven: "proof", Pending: "proof warn", Frozen: "proof bad" } as const;
const { proof: words } = texts.shell;

function useProof() {
  const may = useMay("ledger:read");
  return useQuery({
    queryKey: ["proof"],
    queryFn: () => bodyOf(getLedgerProof()),
    enabled: may,
    refetchInterval: 15_000,
  });
}

/** Whether the books are sound, and up to which journal. */
export function Proof() {
  const { data } = useProof();
  if (data === undefined) return null;
  if (data.lastSequence === 0) return <span className="proof plain">{words.empty}</span>;
  const Icon = data.status === "Proven" ? ShieldCheck : ShieldAlert;
  const title = data.status === "Frozen" ? words.frozen : words.audited(count(data.audit.auditedSequence));
  return (
    <span className={tones[data.status]} title={title}>
      <Icon aria-hidden />
      <span>
        <span className="wide">{words[data.status]} · </span>#{count(data.lastSequence)}
      </span>
    </span>
  );
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
