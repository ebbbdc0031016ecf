import { useState } from "react";
import type { InboundPayment } from "../../../typescript/types.gen.ts";
import type { useAssignInbound } from "../../api/inbound.ts";
import { useAwaySince } from "../../api/live.ts";
import { faultsOf } from "../../api/problem.ts";
import { AccountNames } from "../../parts/account-names.tsx";
import { Card } from "../../parts/card.tsx";
import { TextField } from "../../parts/field.tsx";
import { money } from "../../parts/money.ts";
import { texts } from "../../texts/texts.ts";

const { assign: words } = texts.inbound;

interface AssignProps {
  readonly payment: InboundPayment;
  readonly assign: ReturnType<typeof useAssignInbound>;
}

/** Moves the money out of Suspense, once and for good. */
export function Assign({ payment, assign }: AssignProps) {
  const isAway = useAwaySince() !== null;
  const [account, setAccount] = useState("");
  const name = account.trim();
  return (
    <Card title={words.title}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          assign.mutate(name);
        }}
      >
        <TextField
          label={words.account}
          hint={words.hint}
          fault={faultsOf(assign.error)("/ledgerAccountName")}
          list="assignable-accounts"
          maxLength={100}
          value={account}
          change={setAccount}
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
