import type { Counterparty, Rail } from "../../../typescript/types.gen.ts";
import { useChosenCounterparty } from "../../api/orders/choosable-counterparties.ts";
import { AccountNames } from "../../parts/form/account-names.tsx";
import { CounterpartyChoice } from "../../parts/form/counterparty-choice.tsx";
import { ChoiceField, TextField } from "../../parts/form/field.tsx";
import { centsOf } from "../../parts/values/cents-of.ts";
import { newOrderTexts as words } from "../../texts/new-order.ts";
import { orderTexts } from "../../texts/orders.ts";
import { directions, rails } from "../orders/filters.ts";
import type { OrderForm } from "./order-form.ts";

const collecting = new Set(["Ach", "SameDayAch", "Book"]);

/** A zero may be the beginning of `0.50`. */
const isNoAmount = (text: string) => centsOf(text) === undefined && !/^\s*\$?\s*0*(\.0?)?\s*$/.test(text);

interface FieldsProps {
  readonly form: OrderForm;
  readonly change: (part: Partial<OrderForm>) => void;
  readonly faults: Partial<Record<keyof OrderForm, string>>;
}

export function Fields(props: FieldsProps) {
  const { form, change, faults } = props;
  const chosen = useChosenCounterparty(form.counterpartyId);
  // On Book no counterparty is sent, so the choice stays. On another rail, one without an account there is not listed,
  // and would be sent unseen.
  const onRail = (rail: Rail): Partial<OrderForm> =>
    rail === "Book" || (chosen !== undefined && hasAccountOn(rail, chosen))
      ? { rail }
      : { rail, counterpartyId: "" };
  const text = (field: keyof OrderForm, label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      fault={faults[field]}
      value={form[field]}
      change={(value) => change({ [field]: value })}
    />
  );
  return (
    <>
      <div className="pair">
        <ChoiceField
          label={words.direction}
          options={directions.map((one) => [one, words.directions[one]] as const)}
          value={form.direction}
          fault={faults.direction}
          change={(direction) =>
            change(
              direction === "Debit" && !collecting.has(form.rail)
                ? { direction, ...onRail("Ach") }
                : { direction },
            )
          }
        />
        <ChoiceField
          label={words.rail}
          options={rails
            .filter((rail) => form.direction === "Credit" || collecting.has(rail))
            .map((rail) => [rail, orderTexts.rails[rail]] as const)}
          value={form.rail}
          fault={faults.rail}
          change={(rail) => change(onRail(rail))}
        />
      </div>
      <div className="pair">
        <TextField
          label={words.amount}
          hint={words.amountHint}
          fault={faults.amount ?? (isNoAmount(form.amount) ? words.noAmount : undefined)}
          inputMode="decimal"
          value={form.amount}
          change={(amount) => change({ amount })}
        />
        <TextField
          label={words.account[form.direction]}
          fault={faults.account}
          list="account-names"
          value={form.account}
          change={(account) => change({ account })}
        />
        <AccountNames id="account-names" typed={form.account} />
      </div>
      <CounterpartyFields {...props} />
      <div className="pair">
        {text("externalId", words.externalId)}
        <TextField
          label={words.effectiveDate}
          hint={words.effectiveHint}
          fault={faults.effectiveDate}
          type="date"
          value={form.effectiveDate}
          change={(effectiveDate) => change({ effectiveDate })}
        />
      </div>
      {text("description", words.description)}
      <div className="pair">
        {text("purpose", words.purpose)}
        {text("statementDescriptor", words.statementDescriptor, words.statementDescriptorHint)}
      </div>
    </>
  );
}

const hasAccountOn = (rail: Rail, { accounts }: Counterparty) => accounts.some((one) => one.rail === rail);

/** A stored counterparty, or details that are typed in; on Book another account of the tenant. */
function CounterpartyFields({ form, change, faults }: FieldsProps) {
  if (form.rail === "Book") {
    return (
      <TextField
        label={words.otherAccount}
        hint={words.otherAccountHint}
        fault={faults.accountNumber}
        list="account-names"
        value={form.accountNumber}
        change={(accountNumber) => change({ accountNumber })}
      />
    );
  }
  return (
    <>
      <CounterpartyChoice
        label={words.counterparty}
        nobody={words.typedIn}
        fits={(one) => hasAccountOn(form.rail, one)}
        isHiddenIfEmpty
        value={form.counterpartyId}
        fault={faults.counterpartyId}
        change={(counterpartyId) => change({ counterpartyId })}
      />
      {form.counterpartyId === "" && (
        <>
          <TextField
            label={words.name[form.direction]}
            fault={faults.name}
            value={form.name}
            change={(name) => change({ name })}
          />
          <div className="pair">
            <TextField
              label={form.rail === "Usdc" ? words.wallet : words.accountNumber}
              fault={faults.accountNumber}
              value={form.accountNumber}
              change={(accountNumber) => change({ accountNumber })}
            />
            <TextField
              label={form.rail === "Usdc" ? words.network : words.routingNumber}
              hint={form.rail === "Usdc" ? words.networkHint : undefined}
              fault={faults.routingNumber}
              value={form.routingNumber}
              change={(routingNumber) => change({ routingNumber })}
            />
          </div>
        </>
      )}
    </>
  );
}
