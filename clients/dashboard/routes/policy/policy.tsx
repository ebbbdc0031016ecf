import { useState } from "react";
import { approvePolicyProposal, denyPolicyProposal } from "../../../typescript/sdk.gen.ts";
import type { ApprovalPolicy } from "../../../typescript/types.gen.ts";
import { bodyOf } from "../../api/client/call.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { useMay } from "../../api/people/me.ts";
import { useDecidedPolicies, usePolicy, usePolicyPreview, usePutPolicy } from "../../api/approvals/policy.ts";
import { useProposals } from "../../api/approvals/proposals.ts";
import { Card } from "../../parts/page/card.tsx";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { Failure, FailureNote, Loading } from "../../parts/page/failure.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { policyChangesInWords } from "../../parts/form/policy-field.ts";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { ConfirmFailure } from "../../shell/confirm-failure.tsx";
import { Proposals } from "../../shell/proposals.tsx";
import { policyTexts as words } from "../../texts/policy.ts";
import { draftOf, policyOf } from "./draft.ts";
import { PolicyForm } from "./policy-form.tsx";
import { Preview } from "./preview.tsx";

/** Which orders need whose approval, and what a change would loosen. */
export function Policy() {
  const policy = usePolicy();
  const [sent, setSent] = useState<Sent>();
  const inForce = JSON.stringify(policy.data);
  const [shown, setShown] = useState(inForce);
  if (shown !== inForce) {
    setShown(inForce);
    // The form begins again with what another person has put into force.
    if (shown !== undefined && sent !== "inForce") setSent("changed");
  }
  return (
    <div className="body">
      <PageTitle text={words.title} />
      {policy.data !== undefined && (
        <>
          <Waiting inForce={policy.data} />
          <Editor key={inForce} inForce={policy.data} sent={sent} setSent={setSent} />
          <Decided />
        </>
      )}
      {policy.data === undefined &&
        (policy.isError ? <Failure error={policy.error} retry={policy.refetch} /> : <Loading lines={10} />)}
    </div>
  );
}

/** The confirmation can show a form of its own, so the button stands outside of this one. */
const formId = "policy-form";
type Sent = keyof typeof words.sent | undefined;

interface EditorProps {
  readonly inForce: ApprovalPolicy;
  readonly sent: Sent;
  readonly setSent: (sent: Sent) => void;
}

function Editor({ inForce, sent, setSent }: EditorProps) {
  const mayChange = useMay("policy:write");
  const isAway = useAwaySince() !== null;
  const [draft, setDraft] = useState(() => draftOf(inForce));
  const typed = policyOf(draft);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(inForce));
  const preview = usePolicyPreview(isChanged ? typed : undefined);
  const reset = () => setDraft(draftOf(inForce));
  const put = usePutPolicy((wasProposed) => {
    setSent(wasProposed ? "proposed" : "inForce");
    reset();
  });
  const send = () => typed !== undefined && put.mutate(typed);
  const shown = isChanged ? preview.data : undefined;
  return (
    <div className="policy-columns">
      <Card title={words.edit} aside={isChanged ? undefined : words.inForce}>
        <form
          id={formId}
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <PolicyForm
            draft={draft}
            isReadOnly={!mayChange}
            isSending={put.isPending}
            change={(next) => {
              setSent(undefined);
              // A retry after adding a passkey would send a policy that has no preview yet.
              if (put.isError) put.reset();
              setDraft(next);
            }}
          />
        </form>
        {!mayChange && <p className="dim">{words.readOnly}</p>}
      </Card>
      {mayChange && (
        <Card title={words.preview.title}>
          <div className="policy-aside">
            <output>
              {sent !== undefined && (
                <p className={sent === "changed" ? "banner warn" : "banner ok"}>{words.sent[sent]}</p>
              )}
            </output>
            {!isChanged && sent === undefined && <p className="dim">{words.preview.none}</p>}
            {isChanged && preview.error !== null && <FailureNote error={preview.error} />}
            {isChanged && shown === undefined && preview.isFetching && <Loading lines={3} />}
            {shown !== undefined && <Preview preview={shown} />}
            <ConfirmFailure error={put.error} retry={send} />
            {isChanged && (
              <div className="actions">
                <button
                  type="submit"
                  form={formId}
                  className="primary"
                  disabled={
                    shown === undefined ||
                    preview.isOld ||
                    shown.outcome === "Unchanged" ||
                    typed === undefined ||
                    put.isPending ||
                    isAway
                  }
                >
                  {put.isPending ? words.asking : words.send[shown?.outcome ?? "InForce"]}
                </button>
                <button type="button" disabled={put.isPending} onClick={reset}>
                  {words.reset}
                </button>
                {typed !== undefined && (
                  <CopyCurl request={{ method: "PUT", path: "/v1/approval-policy", body: typed }} />
                )}
              </div>
            )}
          </div>
        </Card>
      )}
    </div>
  );
}

function Waiting({ inForce }: { inForce: ApprovalPolicy }) {
  const { data } = useProposals();
  const proposals = (data?.policyProposals.data ?? []).map(
    ({ id, policy, loosens, proposedBy, proposedAt, mine }) => ({
      id,
      title: words.proposal(loosens.map(nameOf).join(", ")),
      // A click decides, so the card shows all that it changes.
      text: policyChangesInWords(inForce, policy).join(" · "),
      proposedBy,
      proposedAt,
      mine,
    }),
  );
  return (
    <Proposals
      kind="policy"
      title={words.proposals}
      proposals={proposals}
      count={data?.policyProposals.count ?? 0}
      approve={{
        operation: "approvePolicyProposal",
        send: (path, headers) => bodyOf(approvePolicyProposal({ path, headers })),
      }}
      deny={{
        operation: "denyPolicyProposal",
        send: (path, headers) => bodyOf(denyPolicyProposal({ path, headers })),
      }}
    />
  );
}

/** A field of the policy in the words of its form. */
function nameOf(field: string): string {
  return field in words.fields ? words.fields[field as keyof typeof words.fields].toLowerCase() : field;
}

function Decided() {
  const { data } = useDecidedPolicies();
  if (data === undefined) return null;
  const { decided } = words;
  return (
    <Card title={decided.title}>
      {data.data.length === 0 && <p className="dim">{decided.none}</p>}
      <ul className="proposals">
        {data.data.map(({ id, loosens, status, decidedBy, decidedAt }) => (
          <li key={id}>
            <div>
              <b>{words.proposal(loosens.map(nameOf).join(", "))}</b>
              <small className="dim">
                {decided.by(status, visible(decidedBy ?? ""))}{" "}
                {decidedAt !== null && <Moment at={decidedAt} />}
              </small>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
