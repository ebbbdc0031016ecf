import { ShieldAlert, ShieldCheck } from "lucide-react";
import type { LedgerProof } from "../../../typescript/types.gen.ts";
import { useIsAuditLate, useProof } from "../../api/books/proof.ts";
import { shellTexts } from "../../texts/shell.ts";

const looks = {
  proven: { className: "proof", Icon: ShieldCheck },
  auditing: { className: "proof", Icon: ShieldCheck },
  late: { className: "proof warn", Icon: ShieldAlert },
  frozen: { className: "proof bad", Icon: ShieldAlert },
} as const;
const { proof: words } = shellTexts;

/** Whether the books are sound, and up to which journal. */
export function Proof() {
  const { data } = useProof();
  if (data === undefined) return null;
  if (data.lastSequence === 0) return <span className="proof plain">{words.empty}</span>;
  return <Shown proof={data} />;
}

function Shown({ proof }: { proof: LedgerProof }) {
  const isLate = useIsAuditLate(proof);
  const { status, lastSequence, audit } = proof;
  const state = { Proven: "proven", Frozen: "frozen", Pending: isLate ? "late" : "auditing" } as const;
  const { className, Icon } = looks[state[status]];
  return (
    <span className={className} title={words.audited(count(audit.auditedSequence))}>
      <Icon aria-hidden />
      <span>
        <span className="wide">{words[state[status]]} · </span>#{count(lastSequence)}
      </span>
    </span>
  );
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
