import { useState } from "react";
import type { Counterparty, ExternalRail, Obligation } from "../../../../typescript/types.gen.ts";
import { useCounterparty } from "../../../api/orders/counterparties.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import type { useRemitObligation } from "../../../api/books/obligations.ts";
import { faultsOf } from "../../../api/client/problem.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { AccountNames } from "../../../parts/form/account-names.tsx";
import { ChoiceField, TextField } from "../../../parts/form/field.tsx";
import { money } from "../../../parts/values/money.ts";
import { Sheet } from "../../../parts/page/sheet.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { obligationTexts } from "../../../texts/obligations.ts";
import { orderTexts } from "../../../texts/orders.ts";
import { railsOf, unpayableReason } from "./payable.ts";

const { remit: words } = obligationTexts;

interface RemitProps {
  readonly obligation: Obligation;
  readonly remit: ReturnType<typeof useRemitObligation>;
}

/** Pays what remains by one order. Not offered while the payee can't be paid; their card says why. */
export function Remit({ obligation, remit }: RemitProps) {
  const [isOpen, setOpen] = useState(false);
  const { data: payee } = useCounterparty(obligation.payeeCounterpartyId);
  const isPayable = payee !== undefined && unpayableReason(payee) === null;
  return (
    <>
      <button type="button" className="primary" disabled={!isPayable} onClick={() => setOpen(true)}>
        {words.open(money(obligation.outstandingCents))}
      </button>
      {isOpen && isPayable && (
        <RemitSheet obligation={obligation} remit={remit} payee={payee} close={() => setOpen(false)} />
      )}
    </>
  );
}

interface RemitSheetProps extends RemitProps {
  readonly payee: Counterparty;
  readonly close: () => void;
}

function RemitSheet({ obligation: { id, outstandingCents, version }, remit, payee, close }: RemitSheetProps) {
  const isAway = useAwaySince() !== null;
  const rails = railsOf(payee);
  const [rail, setRail] = useState<ExternalRail>(rails[0] ?? "Ach");
  const [account, setAccount] = useState("");
  const faultAt = faultsOf(remit.error);
  const body = { rail, fundingLedgerAccountName: account.trim() };
  const amount = money(outstandingCents);
  return (
    <Sheet title={words.title(amount)} close={close}>
      <p>{words.text(visible(payee.name))}</p>
      <form
        className="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          remit.mutate({ body, version }, { onSuccess: close });
        }}
      >
        <ChoiceField
          label={words.rail}
          options={rails.map((one) => [one, orderTexts.rails[one]] as const)}
          value={rail}
          change={setRail}
          fault={faultAt("/rail")}
        />
        <TextField
          label={words.account}
          hint={words.accountHint}
          fault={faultAt("/fundingLedgerAccountName")}
          list="funding-accounts"
          maxLength={100}
          value={account}
          change={setAccount}
        />
        <AccountNames id="funding-accounts" typed={account} />
        <p className="dim">{words.makers}</p>
        {remit.isError && <FailureNote error={remit.error} />}
        <div className="actions">
          <button
            type="submit"
            className="primary"
            disabled={account.trim() === "" || remit.isPending || isAway}
          >
            {remit.isPending ? words.asking : words.submit(amount)}
          </button>
          <button type="button" onClick={close}>
            {words.cancel}
          </button>
          <CopyCurl request={{ method: "POST", path: `/v1/obligations/${id}/remit`, body }} />
        </div>
      </form>
    </Sheet>
  );
}
