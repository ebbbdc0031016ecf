import { Dialog } from "@base-ui/react/dialog";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { type Decidable, decisionRequest, type Verdict } from "../../api/approvals/decidable.ts";
import { type Result, useDecision } from "../../api/approvals/decide.ts";
import { useAwaySince } from "../../api/client/live.ts";
import type { ApiProblem } from "../../api/client/problem.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../parts/page/failure.tsx";
import { money } from "../../parts/values/money.ts";
import { AddPasskey } from "../../shell/person/passkeys.tsx";
import { approvalTexts } from "../../texts/approvals.ts";
import { failureTexts } from "../../texts/shell.ts";
import { currentStateInWords } from "./current-state-in-words.ts";

const { sheet: words, approve } = approvalTexts;

interface SheetProps {
  readonly verdict: Verdict;
  readonly items: readonly Decidable[];
  /** Closes it with nothing decided. */
  readonly dismiss: () => void;
  /** Closes it after a decision. */
  readonly decided: () => void;
}

/** Lists every payee and the sum before anything is decided, and what became of each order after it. */
export function DecisionSheet({ verdict, items, dismiss, decided }: SheetProps) {
  const [reason, setReason] = useState("");
  const isAway = useAwaySince() !== null;
  const { state, decide, reopen } = useDecision(verdict, items);
  const isOrder = items[0]?.kind === "order";
  const sum = items.reduce((total, { amountCents }) => total + (amountCents ?? 0), 0);
  // Several have no single request.
  const only = items.length === 1 ? items[0] : undefined;
  const isOver = state.name === "decided";
  const results = isOver || state.name === "refused" ? state.results : [];
  const lacksPasskey = state.name === "refused" && state.problem.code === "passkey_missing";
  const decideButton = useRef<HTMLButtonElement>(null);
  /** The focus is moved in the same step, because the sheet would take it from a field that has gone. */
  const goOn = () => {
    flushSync(reopen);
    decideButton.current?.focus();
  };
  const close = () => {
    if (results.length > 0) decided();
    else if (state.name !== "asking") dismiss();
  };
  return (
    <Dialog.Root open onOpenChange={close}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="sheet">
          <Dialog.Title>
            {isOver ? outcomeOf(verdict, state.results) : titleOf(verdict, isOrder, items.length)}
          </Dialog.Title>
          <Payees items={items} sum={sum} verdict={verdict} results={results} />
          {state.name === "refused" && <Refused problem={state.problem} retry={goOn} dismiss={close} />}
          {isOver && (
            <div className="actions">
              <button type="button" className="primary" onClick={decided}>
                {words.close}
              </button>
              {state.results.some(({ problem }) => problem?.retryable === true) && (
                <button type="button" disabled={isAway} onClick={() => void decide(reason.trim())}>
                  {failureTexts.tryAgain}
                </button>
              )}
            </div>
          )}
          {!isOver && !lacksPasskey && (
            <form
              className="sheet-form"
              onSubmit={(event) => {
                event.preventDefault();
                void decide(reason.trim());
              }}
            >
              {verdict === "deny" && isOrder && (
                <label className="field">
                  {words.reason}
                  <textarea
                    required
                    maxLength={500}
                    value={reason}
                    onChange={(event) => setReason(event.target.value)}
                  />
                </label>
              )}
              <div className="actions">
                <button
                  ref={decideButton}
                  type="submit"
                  className="primary big"
                  disabled={state.name === "asking" || isAway}
                >
                  {state.name === "asking" ? words.asking : textOf(verdict, isOrder, sum)}
                </button>
                <button type="button" className="big" disabled={state.name === "asking"} onClick={close}>
                  {words.cancel}
                </button>
                {only !== undefined && <CopyCurl request={decisionRequest(only, verdict, reason.trim())} />}
              </div>
            </form>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function titleOf(verdict: Verdict, isOrder: boolean, count: number): string {
  if (!isOrder) return words.proposal[verdict];
  if (verdict === "approve") return count === 1 ? words.approveOne : words.approveMany(count);
  return count === 1 ? words.denyOne : words.denyMany(count);
}

function outcomeOf(verdict: Verdict, results: readonly Result[]): string {
  return words.over[results.every(({ problem }) => problem === undefined) ? verdict : "partly"];
}

function textOf(verdict: Verdict, isOrder: boolean, sum: number): string {
  if (!isOrder) return words.decideProposal[verdict];
  return verdict === "approve" ? approve(money(sum)) : words.deny(money(sum));
}

interface PayeesProps {
  readonly items: readonly Decidable[];
  readonly sum: number;
  readonly verdict: Verdict;
  readonly results: readonly Result[];
}

function Payees({ items, sum, verdict, results }: PayeesProps) {
  const outcomes = new Map(results.map((result) => [result.id, result]));
  return (
    <table aria-live="polite">
      <tbody>
        {items.map(({ id, title, remark, amountCents }) => (
          <tr key={id}>
            <td>
              <b>{title}</b> <span className="dim">{remark}</span>
              <Outcome verdict={verdict} result={outcomes.get(id)} />
            </td>
            <td className="right num">{amountCents !== null && money(amountCents)}</td>
          </tr>
        ))}
        {items.length > 1 && (
          <tr>
            <td>{words.sum}</td>
            <td className="right num strong">{money(sum)}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** What became of an order; after a conflict, also what it is now. */
function Outcome({ verdict, result }: { verdict: Verdict; result: Result | undefined }) {
  if (result === undefined) return null;
  const { problem, currentState, missing = 0 } = result;
  if (problem === undefined) {
    return (
      <div className="outcome ok">
        <span>{words.became[verdict]}</span>
        {missing > 0 && ` · ${words.missing(missing)}`}
      </div>
    );
  }
  return (
    <div className="outcome bad">
      {problem.title}. {currentState === undefined ? problem.detail : currentStateInWords(currentState)}
    </div>
  );
}

interface RefusedProps {
  readonly problem: ApiProblem;
  readonly retry: () => void;
  readonly dismiss: () => void;
}

/** Without a passkey a person can make one here, and go on. */
function Refused({ problem, retry, dismiss }: RefusedProps) {
  if (problem.code !== "passkey_missing") return <FailureNote error={problem} />;
  return (
    <>
      <p>{words.noPasskey}</p>
      <AddPasskey added={retry} />
      <div className="actions">
        <button type="button" onClick={dismiss}>
          {words.cancel}
        </button>
      </div>
    </>
  );
}
