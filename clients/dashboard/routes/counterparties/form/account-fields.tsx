import { Plus, Trash2 } from "lucide-react";
import { useEffect, useRef } from "react";
import { ChoiceField, TextField } from "../../../parts/form/field.tsx";
import { Card } from "../../../parts/page/card.tsx";
import { counterpartyTexts } from "../../../texts/counterparties.ts";
import { newOrderTexts } from "../../../texts/new-order.ts";
import { orderTexts } from "../../../texts/orders.ts";
import type { FieldsProps } from "./about-fields.tsx";
import { type AccountDraft, emptyAccount, rails } from "./draft.ts";

const { form: words, accountTypes } = counterpartyTexts;
const maxAccounts = 5;

/** The fields of each account. The focus goes to an account that was added, and stays near one that was removed. */
export function AccountFields({ draft: { accounts }, change, faultAt }: FieldsProps) {
  const list = useRef<HTMLDivElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const countBefore = useRef(accounts.length);
  useEffect(() => {
    const before = countBefore.current;
    countBefore.current = accounts.length;
    if (accounts.length > before)
      list.current?.querySelector<HTMLElement>("fieldset:last-child select")?.focus();
    if (accounts.length < before) addButton.current?.focus();
  }, [accounts.length]);
  const set = (position: number, part: Partial<AccountDraft>) =>
    change({
      accounts: accounts.map((account, index) => (index === position ? { ...account, ...part } : account)),
    });
  return (
    <Card title={words.accounts}>
      <div className="form">
        {accounts.length === 0 && <p className="dim">{words.noAccounts}</p>}
        <div ref={list} className="account-fields">
          {accounts.map((account, index) => (
            <fieldset key={index}>
              <legend>{words.account(index + 1)}</legend>
              <AccountInputs
                account={account}
                set={(part) => set(index, part)}
                faultAt={(field) => faultAt(`/accounts/${String(index)}${field}`)}
              />
              <button
                type="button"
                className="quiet"
                aria-label={words.remove(index + 1)}
                onClick={() => change({ accounts: accounts.filter((_, other) => other !== index) })}
              >
                <Trash2 aria-hidden />
              </button>
            </fieldset>
          ))}
        </div>
        <div className="actions">
          <button
            ref={addButton}
            type="button"
            disabled={accounts.length >= maxAccounts}
            onClick={() => change({ accounts: [...accounts, emptyAccount(accounts)] })}
          >
            <Plus aria-hidden /> {words.add}
          </button>
        </div>
      </div>
    </Card>
  );
}

interface AccountInputsProps {
  readonly account: AccountDraft;
  readonly set: (part: Partial<AccountDraft>) => void;
  readonly faultAt: (field: string) => string | undefined;
}

function AccountInputs({ account, set, faultAt }: AccountInputsProps) {
  const { rail, accountNumber, routingNumber, accountType, stored } = account;
  const isWallet = rail === "Usdc";
  return (
    <>
      <ChoiceField
        label={words.rail}
        fault={faultAt("/rail")}
        options={rails.map((one) => [one, orderTexts.rails[one]] as const)}
        value={rail}
        change={(one) => set({ rail: one })}
      />
      {!isWallet && (
        <ChoiceField
          label={words.accountType}
          fault={faultAt("/accountType")}
          options={[
            ["", words.anyType],
            ["Checking", accountTypes.Checking],
            ["Savings", accountTypes.Savings],
          ]}
          value={accountType}
          change={(one) => set({ accountType: one })}
        />
      )}
      <TextField
        label={isWallet ? words.wallet : words.number}
        hint={stored === "" ? undefined : words.numberHint(stored)}
        fault={faultAt("/accountNumber")}
        maxLength={100}
        value={accountNumber}
        change={(number) => set({ accountNumber: number })}
      />
      <TextField
        label={isWallet ? words.network : words.routing}
        hint={isWallet ? newOrderTexts.networkHint : undefined}
        fault={faultAt("/routingNumber")}
        maxLength={34}
        value={routingNumber}
        change={(number) => set({ routingNumber: number })}
      />
    </>
  );
}
