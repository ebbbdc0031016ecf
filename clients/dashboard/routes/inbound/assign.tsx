import { useState } from "react";
import type { InboundPayment } from "../../../typescript/types.gen.ts";
import type { useAssignInbound } from "../../api/books/inbound.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { faultsOf } from "../../api/client/problem.ts";
import { AccountNames } from "../../parts/form/account-names.tsx";
import { Card } from "../../parts/page/card.tsx";
import { TextField } from "../../parts/form/field.tsx";
import { money } from "../../parts/values/money.ts";
import { inboundTexts } from "../../texts/inbound.ts";

const { assign: words } = inboundTexts;

interface AssignProps {
  readonly payment: InboundPayment;
  readonly assign: ReturnType<typeof useAssignInbound>;
}

/** Moves the money out of Suspense, once and for good. */
export function Assign({ payment, assign }: AssignProps) {
  const isAway = useAwaySince() !== null;
  const [account, setAccount] = useState("");
  const name = account.trim();
  const isFirst = payment.proposedAssignment === null;
  return (
    <Card title={isFirst ? words.title : words.another}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          assign.mutate({ ledgerAccountName: name });
        }}
      >
        <TextField
          label={words.account}
          hint={isFirst ? words.hint : words.anotherHint}
          fault={faultsOf(assign.error)("/ledgerAccountName")}
          list="assignable-accounts"
          maxLength={100}
          value={account}
          change={(typed) => {
            // Else a retry after adding a passkey would send the account that was typed before.
            if (assign.isError) assign.reset();
            setAccount(typed);
          }}
        />
        <AccountNames id="assignable-accounts" typed={account} />
        <div className="actions">
          <button type="submit" className="primary" disabled={name === "" || assign.isPending || isAway}>
            {assign.isPending ? words.asking : words.submit(money(payment.amountCents))}
          </button>
        </div>
      </form>
    </Card>
  );
}
