import type { Counterparty, Rail } from "../../../typescript/types.gen.ts";
import { useCounterparty, useNewestCounterparties } from "../../api/orders/counterparties.ts";
import { AccountNames } from "../../parts/form/account-names.tsx";
import { ChoiceField, TextField } from "../../parts/form/field.tsx";
import { centsOf } from "../../parts/values/cents-of.ts";
import { visible } from "../../parts/values/visible-text.ts";
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
  const counterparties = useNamable(form.counterpartyId);
  // On Book no counterparty is sent, so the choice stays. On another rail, one without an account there is not listed,
  // and would be sent unseen.
  const onRail = (rail: Rail): Partial<OrderForm> => {
    const chosen = counterparties.find(({ id }) => id === form.counterpartyId);
    return rail === "Book" || (chosen !== undefined && hasAccountOn(rail, chosen))
      ? { rail }
      : { rail, counterpartyId: "" };
  };
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
      <CounterpartyFields {...props} counterparties={counterparties} />
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

/** The newest counterparties. That of a copied order may be older. */
function useNamable(chosenId: string): readonly Counterparty[] {
  const { data: newest = [] } = useNewestCounterparties();
  const isListed = newest.some(({ id }) => id === chosenId);
  const { data: other } = useCounterparty(chosenId === "" || isListed ? null : chosenId);
  return other === undefined || isListed ? newest : [other, ...newest];
}

const hasAccountOn = (rail: Rail, { accounts }: Counterparty) => accounts.some((one) => one.rail === rail);

interface CounterpartyFieldsProps extends FieldsProps {
  readonly counterparties: readonly Counterparty[];
}

/** A stored counterparty, or details that are typed in; on Book another account of the tenant. */
function CounterpartyFields({ form, change, faults, counterparties }: CounterpartyFieldsProps) {
  const isBook = form.rail === "Book";
  const fitting = counterparties.filter((one) => hasAccountOn(form.rail, one));
  if (isBook) {
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
      {fitting.length > 0 && (
        <ChoiceField
          label={words.counterparty}
          options={[["", words.typedIn], ...fitting.map(({ id, name }) => [id, visible(name)] as const)]}
          value={form.counterpartyId}
          fault={faults.counterpartyId}
          change={(counterpartyId) => change({ counterpartyId })}
        />
      )}
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
