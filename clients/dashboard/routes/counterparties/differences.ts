import type { Counterparty } from "../../../typescript/types.gen.ts";
import { masked } from "../../parts/values/masked.ts";
import { counterpartyTexts } from "../../texts/counterparties.ts";
import { orderTexts } from "../../texts/orders.ts";

const { conflict, statuses } = counterpartyTexts;
const { what } = conflict;
type Account = Counterparty["accounts"][number];

/** In words, what has changed in a counterparty since it was shown; nothing while its version is the same. */
export function differences(shown: Counterparty, current: Counterparty): string[] {
  if (shown.version === current.version) return [];
  const found = [
    ...(["name", "type", "email", "externalId"] as const)
      .filter((field) => shown[field] !== current[field])
      .map((field) => what[field]),
    ...accountDifferences(shown.accounts, current.accounts),
    ...(pairsOf(shown) === pairsOf(current) ? [] : [what.metadata]),
    ...(shown.verificationStatus === current.verificationStatus
      ? []
      : [what.verification(statuses[current.verificationStatus].toLowerCase())]),
    ...((shown.archivedAt === null) === (current.archivedAt === null)
      ? []
      : [current.archivedAt === null ? what.restored : what.archived]),
  ];
  return found.length === 0 ? [conflict.unseen] : found;
}

function accountDifferences(before: readonly Account[], after: readonly Account[]): string[] {
  const railOf = ({ rail }: Account) => orderTexts.rails[rail];
  const gone = before.filter(({ rail }) => after.every((account) => account.rail !== rail));
  return [
    ...after.flatMap((account) => {
      const was = before.find(({ rail }) => rail === account.rail);
      if (was === undefined) return [what.newAccount(railOf(account), masked(account.accountNumber))];
      const isSame =
        was.accountNumber === account.accountNumber &&
        was.routingNumber === account.routingNumber &&
        was.accountType === account.accountType;
      return isSame ? [] : [what.account(railOf(account), masked(account.accountNumber))];
    }),
    ...gone.map((account) => what.goneAccount(railOf(account))),
  ];
}

const pairsOf = ({ metadata }: Counterparty) =>
  JSON.stringify(Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1)));
