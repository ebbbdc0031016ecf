import type { Rail } from "../../../typescript/types.gen.ts";
import { orderTexts } from "../../texts/orders.ts";
import { policyTexts } from "../../texts/policy.ts";
import { rails } from "../orders/filters.ts";
import { type AmountField, centsOf, type Draft } from "./draft.ts";

const { fields: words, money, notMoney } = policyTexts;

interface FormProps {
  readonly draft: Draft;
  readonly isReadOnly: boolean;
  readonly isSending: boolean;
  readonly change: (draft: Draft) => void;
}

const switches = [
  "requireApprovalForAll",
  "allowSelfApproval",
  "requireVerifiedCounterparty",
  "requireApprovalForLedgerTransactions",
] as const;

/** The whole policy, as one form. Read-only texts can be reached by keyboard, and selected. */
export function PolicyForm({ draft, isReadOnly, isSending, change }: FormProps) {
  const toggleRail = (rail: Rail) => {
    const others = draft.dualApprovalRails.filter((one) => one !== rail);
    const dualApprovalRails = others.length === draft.dualApprovalRails.length ? [...others, rail] : others;
    change({ ...draft, dualApprovalRails });
  };
  return (
    <fieldset className="policy-form" disabled={isSending}>
      <legend className="hidden-visually">{policyTexts.edit}</legend>
      <Amount field="approvalThresholdCents" draft={draft} isReadOnly={isReadOnly} change={change} />
      <Amount field="dualApprovalThresholdCents" draft={draft} isReadOnly={isReadOnly} change={change} />
      <Amount
        field="dailyLimitCents"
        draft={draft}
        isReadOnly={isReadOnly}
        change={change}
        placeholder={words.noLimit}
      />
      <label className="field">
        {words.approvalExpiresAfterHours}
        <span className="unit">
          <input
            className="num"
            readOnly={isReadOnly}
            type="number"
            min={1}
            max={8760}
            required
            value={draft.approvalExpiresAfterHours}
            onChange={(event) => change({ ...draft, approvalExpiresAfterHours: event.target.value })}
          />
          {words.hours}
        </span>
      </label>
      <fieldset className="choices columns">
        <legend>{words.dualApprovalRails}</legend>
        {rails.map((rail) => (
          <label key={rail}>
            <input
              type="checkbox"
              className="tick"
              disabled={isReadOnly}
              checked={draft.dualApprovalRails.includes(rail)}
              onChange={() => toggleRail(rail)}
            />
            {orderTexts.rails[rail]}
          </label>
        ))}
      </fieldset>
      <div className="choices">
        {switches.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              className="tick"
              disabled={isReadOnly}
              checked={draft[name]}
              onChange={() => change({ ...draft, [name]: !draft[name] })}
            />
            {words[name]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface AmountProps {
  readonly field: AmountField;
  readonly draft: Draft;
  readonly isReadOnly: boolean;
  readonly change: (draft: Draft) => void;
  readonly placeholder?: string;
}

function Amount({ field, draft, isReadOnly, change, placeholder }: AmountProps) {
  const value = draft[field];
  const isEmptyAllowed = placeholder !== undefined && value.trim() === "";
  const isWrong = !isEmptyAllowed && centsOf(value) === undefined;
  return (
    <label className="field">
      {words[field]}
      <span className="unit">
        <input
          className="num"
          readOnly={isReadOnly}
          inputMode="decimal"
          value={value}
          placeholder={placeholder}
          aria-invalid={isWrong}
          onChange={(event) => change({ ...draft, [field]: event.target.value })}
        />
        {money}
      </span>
      {isWrong && <small className="warn">{notMoney}</small>}
    </label>
  );
}
