import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, Fingerprint, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { InboxApiKeyProposal, InboxRoleProposal } from "../../../typescript/types.gen.ts";
import { refusalOf, type Waiting } from "../../api/approvals/approvals.ts";
import { readCurrentState } from "../../api/approvals/current-state.ts";
import {
  canBeDenied,
  type Decidable,
  decidableOf,
  isOfLedger,
  proposalTitle,
  proposedBy,
  type Verdict,
} from "../../api/approvals/decidable.ts";
import { Card, Details } from "../../parts/page/card.tsx";
import { Chip } from "../../parts/values/chip.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { approvalTexts as words } from "../../texts/approvals.ts";
import { currentStateInWords } from "./current-state-in-words.ts";
import { refusalInWords } from "./detail.tsx";
import { LedgerProposal } from "./proposal-parts/ledger-proposal.tsx";
import { PolicyChange } from "./proposal-parts/policy-change.tsx";

const { proposals } = words;

type Proposal = Exclude<Waiting, { kind: "order" }>;

interface ProposalDetailProps {
  readonly waiting: Proposal;
  /** True once it no longer waits: decided by somebody else, or superseded. */
  readonly isGone: boolean;
  readonly decide: (verdict: Verdict, item: Decidable) => void;
  readonly back: () => void;
}

/** A proposal (policy, API key, role, or in the ledger): what it would change, and who wants it. */
export function ProposalDetail({ waiting, isGone, decide, back }: ProposalDetailProps) {
  const { proposedAt } = waiting.proposal;
  const title = proposalTitle(waiting);
  return (
    <section className="detail" aria-label={title}>
      <button type="button" className="quiet back" onClick={back}>
        <ArrowLeft aria-hidden /> {words.back}
      </button>
      <div className="hero">
        <div>
          <p className="lead">
            {proposedBy(waiting.proposal)} · <Moment at={proposedAt} />
          </p>
          <p className="proposal-title">{title}</p>
        </div>
        <Chip tone="info" big>
          {proposals.chip}
        </Chip>
      </div>
      {isGone && <Gone waiting={waiting} />}
      {!isGone && waiting.kind !== "policy" && (
        <p className="banner">
          <b>{proposals.lead[waiting.kind]}</b>{" "}
          {waiting.kind === "apiKey" && visible(waiting.proposal.reason)}
        </p>
      )}
      <Card title={proposals.what}>
        <What waiting={waiting} isGone={isGone} />
      </Card>
      <div className="decide">{!isGone && <Decide waiting={waiting} decide={decide} />}</div>
    </section>
  );
}

function What({ waiting, isGone }: Pick<ProposalDetailProps, "waiting" | "isGone">) {
  if (isOfLedger(waiting)) return <LedgerProposal proposal={waiting.proposal} />;
  if (waiting.kind === "policy") return <PolicyChange proposal={waiting.proposal} isGone={isGone} />;
  return (
    <Details rows={waiting.kind === "role" ? rowsOfRole(waiting.proposal) : rowsOfKey(waiting.proposal)} />
  );
}

/** What it has become, and by whom. */
function Gone({ waiting }: { waiting: Proposal }) {
  const { kind, id } = waiting;
  const { data } = useQuery({
    queryKey: ["current-state", id],
    queryFn: async () => (await readCurrentState({ kind, id })) ?? null,
  });
  return (
    <p className="banner warn" aria-live="polite">
      <b>{proposals.gone}</b>{" "}
      {data !== null && data !== undefined && !data.stillWaits && currentStateInWords(data)}
    </p>
  );
}

function Decide({ waiting, decide }: Pick<ProposalDetailProps, "waiting" | "decide">) {
  const refusal = refusalOf(waiting);
  if (refusal !== undefined) {
    return (
      <div className="notice">
        <TriangleAlert aria-hidden />
        <b>{refusalInWords(refusal, proposals.refused)}</b>
      </div>
    );
  }
  return (
    <>
      <button type="button" className="primary big" onClick={() => decide("approve", decidableOf(waiting))}>
        <Fingerprint aria-hidden />
        {proposals.approve}
      </button>
      {canBeDenied(waiting.kind) && (
        <button type="button" className="bad big" onClick={() => decide("deny", decidableOf(waiting))}>
          {words.deny}
        </button>
      )}
      <span className="dim">{words.note}</span>
    </>
  );
}

type Rows = readonly (readonly [string, ReactNode])[];

const { rows } = proposals;

function rowsOfRole(proposal: InboxRoleProposal): Rows {
  const { principal, personName, personEmail, personRoles, personCreatedBy, mode, roles, hasApiKeys } =
    proposal;
  return [
    [rows.person, `${visible(personName)}, ${visible(personEmail)}`],
    [rows.principal, visible(principal)],
    [rows.createdBy, visible(personCreatedBy ?? "")],
    [rows.mode, mode],
    [rows.roles, roles.join(", ")],
    [rows.rolesNow, personRoles.join(", ") || rows.noRoles],
    [rows.apiKeys, hasApiKeys ? rows.hasApiKeys : rows.hasNoApiKeys],
  ];
}

function rowsOfKey({ apiKey }: InboxApiKeyProposal): Rows {
  return [
    [rows.principal, visible(apiKey.principal)],
    [rows.mode, apiKey.mode],
    [rows.scopes, apiKey.scopes.join(", ")],
    [rows.addresses, apiKey.ipAllowlist.join(", ") || rows.anyAddress],
    [rows.expires, apiKey.expiresAt === null ? rows.never : <Moment key="expires" at={apiKey.expiresAt} />],
  ];
}
